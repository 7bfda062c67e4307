/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of the Intel I210, I211, I225 and I226 that the source nic uses.
 * Offsets and bits as in drivers/net/ethernet/intel/igb/e1000_regs.h and
 * e1000_defines.h, and, where the I225 and I226 have them, the same in
 * ../igc/igc_regs.h and igc_defines.h; the sections are those of the I210 datasheet.
 */
#ifndef _IDLE_LATENCY_NIC_REGS_H
#define _IDLE_LATENCY_NIC_REGS_H

#include <linux/bitfield.h>
#include <linux/bits.h>

#include "hardware.h"
#include "nic.h"

/* 8.2 General registers */
#define NIC_CTRL		0x00000
#define NIC_CTRL_MASTER_DISABLE	BIT(2)
#define NIC_CTRL_RST		BIT(26)
#define NIC_STATUS		0x00008
#define NIC_STATUS_MASTER	BIT(19)
#define NIC_STATUS_RST_DONE	BIT(21)

/* 8.9 and 8.11: receive and transmit */
#define NIC_RCTL		0x00100
#define NIC_TCTL		0x00400

/* 8.4 NVM registers */
#define NIC_EEC			0x12010
#define NIC_EEC_AUTO_RD		BIT(9)

/* 8.8 Interrupt registers */
#define NIC_ICR			0x01500
#define NIC_IMS			0x01508
#define NIC_IMC			0x0150c
#define NIC_ICR_TIME_SYNC	BIT(19)
#define NIC_GPIE		0x01514
#define NIC_GPIE_NSICR		BIT(0)
#define NIC_GPIE_MSIX		BIT(4)
#define NIC_GPIE_EIAME		BIT(30)
#define NIC_GPIE_PBA		BIT(31)
#define NIC_EIMS		0x01524
#define NIC_EIMC		0x01528
#define NIC_EIMS_VECTOR0	BIT(0)
#define NIC_EIMS_OTHER		BIT(31)
#define NIC_EIAC		0x0152c
#define NIC_EIAM		0x01530
/* How long the card holds back an interrupt of vector 0. */
#define NIC_EITR0		0x01680
#define NIC_IVAR_MISC		0x01740
/* The second byte is for the cause "other": valid, and the number of its vector. */
#define NIC_IVAR_MISC_VECTOR0	BIT(15)

/* 8.15 Time sync registers */
#define NIC_SYSTIML		0x0b600
#define NIC_SYSTIMH		0x0b604
/* The I225 and I226 have it, too, but latch their time when SYSTIML is read. */
#define NIC_SYSTIMR		0x0b6f8
#define NIC_TSAUXC		0x0b640
#define NIC_TSAUXC_EN_TT0	BIT(0)
#define NIC_TRGTTIML0		0x0b644
#define NIC_TRGTTIMH0		0x0b648
#define NIC_TSICR		0x0b66c
#define NIC_TSIM		0x0b674
#define NIC_TSICR_TT0		BIT(3)

/* 8.22 Management registers */
#define NIC_MANC		0x05820
#define NIC_MANC_SMBUS_EN	BIT(0)
#define NIC_MANC_ASF_EN		BIT(1)
#define NIC_MANC_RCV_TCO_EN	BIT(17)
#define NIC_FACTPS		0x05b30
#define NIC_FACTPS_MNGCG	BIT(29)
#define NIC_FWSM		0x05b54
#define NIC_FWSM_MODE		GENMASK(3, 1)
#define NIC_FWSM_PASS_THROUGH	2

/* PTM of the I225 and I226: igc_regs.h, igc_defines.h */
#define NIC_PTM_CTRL		0x12540
#define NIC_PTM_CTRL_SHORT_CYC	GENMASK(7, 2)
#define NIC_PTM_CTRL_TIMEOUT	GENMASK(15, 8)
#define NIC_PTM_CTRL_START_NOW	BIT(29)
#define NIC_PTM_CTRL_EN		BIT(30)
#define NIC_PTM_CTRL_TRIG	BIT(31)
#define NIC_PTM_STAT		0x12544
#define NIC_PTM_STAT_VALID	BIT(0)
#define NIC_PTM_STAT_ALL	GENMASK(5, 0)
#define NIC_PTM_CYCLE_CTRL	0x1254c
#define NIC_PCIE_DIG_DELAY	0x12550
#define NIC_PCIE_PHY_DELAY	0x12554
#define NIC_PTM_T1_TIM0_L	0x12558
#define NIC_PTM_T1_TIM0_H	0x1255c
#define NIC_PTM_PREV_T4M1	0x12578
#define NIC_PTM_PREV_T3M2	0x12580
#define NIC_PTM_CURR_T2_L	0x1258c
#define NIC_PTM_CURR_T2_H	0x12590

static __always_inline u32 nic_read(const struct idle_latency_nic *nic, u32 reg)
{
	return hw_readl(nic->regs + reg);
}

static inline void nic_write(const struct idle_latency_nic *nic, u32 reg, u32 value)
{
	hw_writel(value, nic->regs + reg);
}

/* A read makes sure that the writes before it have arrived. */
static inline void nic_flush(const struct idle_latency_nic *nic)
{
	nic_read(nic, NIC_STATUS);
}

#endif /* _IDLE_LATENCY_NIC_REGS_H */
