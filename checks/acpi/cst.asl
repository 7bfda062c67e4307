// SPDX-License-Identifier: GPL-2.0
//
// Idle states as ACPI declares them, for the CPU that checks/acpi/check.sh puts in: C1 by
// MWAIT with the hint 0, the others by reading a port. A state is a package of the register,
// its type, its exit latency in us, and its power in mW. ACPI 6.5, section 8.4.1.1.
DefinitionBlock ("", "SSDT", 2, "IDLELT", "CST", 1)
{
	External (@CPU@, @KIND@)

	Scope (@CPU@)
	{
		Name (_CST, Package ()
		{
			@COUNT@,
			Package () { ResourceTemplate () { Register (FFixedHW, 1, 2, 0, 1) }, 1, 2, 1000 },
#ifdef PORTS
			Package () { ResourceTemplate () { Register (SystemIO, 8, 0, 0x1814) }, 2, 59, 500 },
			Package () { ResourceTemplate () { Register (SystemIO, 8, 0, 0x1815) }, 3, 80, 350 }
#endif
		})
	}
}
