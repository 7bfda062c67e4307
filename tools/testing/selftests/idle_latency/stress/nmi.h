/* SPDX-License-Identifier: GPL-2.0 */
/* NMIs from one CPU to another, sent by the local APIC. */
#ifndef NMI_H
#define NMI_H

#include "disturb.h"

/* Each may take a line of the console. */
#define NMI_MAX		40

struct nmi_sender {
	__u32 *apic;
	__u32 destination;
	unsigned int sent;
};

/* Returns NULL, or why no NMI can be sent to the CPU. */
const char *nmi_sender_open(struct nmi_sender *sender, unsigned int cpu);

/*
 * Sends an NMI now and then, NMI_MAX in all. The time is when it had been sent. The
 * context is the sender.
 */
disturb_once contaminate_by_nmi;

#endif
