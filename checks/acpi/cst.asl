// SPDX-License-Identifier: GPL-2.0
//
// An idle state as ACPI declares it, for the CPU of Bochs: C1 by MWAIT with the hint 0. A state is
// a package of the register, its type, its exit latency in us, and its power in mW. ACPI 6.5,
// section 8.4.1.1.
DefinitionBlock ("", "SSDT", 2, "IDLELT", "CST", 1)
{
	External (\_PR.CPU0, ProcessorObj)

	Scope (\_PR.CPU0)
	{
		Name (_CST, Package ()
		{
			1,
			Package () { ResourceTemplate () { Register (FFixedHW, 1, 2, 0, 1) }, 1, 2, 1000 },
		})
	}
}
