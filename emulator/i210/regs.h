/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of the Intel I210 that the model gives a meaning. "DS" is the data
 * sheet of the Ethernet Controller I210 with its section; "igb" is
 * drivers/net/ethernet/intel/igb of Linux, with its file, and "igc" that of the
 * I225 and I226, whose registers are the same where nothing else is said.
 */

#ifndef HW_NET_I210_REGS_H
#define HW_NET_I210_REGS_H

#include "qemu/bitops.h"

/* The copper version with flash, igb e1000_hw.h; I226-LM, igc igc_hw.h */
#define I210_DEVICE_ID              0x1533
#define I226_DEVICE_ID              0x125b

#define I210_BAR0_SIZE              0x20000     /* 128 KB, DS 9.3.11 */

/* Device control and status: igb e1000_regs.h, e1000_defines.h */
#define I210_CTRL                   0x00000
#define   CTRL_FD                   BIT(0)
#define   CTRL_MASTER_DISABLE       BIT(2)
#define   CTRL_SDP0_DIR             BIT(22)
#define   CTRL_SDP1_DIR             BIT(23)
#define   CTRL_RST                  BIT(26)
#define   CTRL_DEV_RST              BIT(29)
#define   CTRL_PHY_RST              BIT(31)
#define I210_STATUS                 0x00008
#define   STATUS_FD                 BIT(0)
#define   STATUS_LU                 BIT(1)
#define   STATUS_SPEED_1000         BIT(7)
#define   STATUS_MASTER_ENABLE      BIT(19)
#define   STATUS_PF_RST_DONE        BIT(21)
#define I210_CTRL_EXT               0x00018
#define   CTRL_EXT_SDP2_DIR         BIT(10)
#define   CTRL_EXT_SDP3_DIR         BIT(11)

/* PHY access: igb e1000_phy.c:igb_read_phy_reg_mdic() */
#define I210_MDIC                   0x00020
#define   MDIC_DATA                 0x0000ffff
#define   MDIC_REG_SHIFT            16
#define   MDIC_REG_LENGTH           5
#define   MDIC_OP_WRITE             BIT(26)
#define   MDIC_OP_READ              BIT(27)
#define   MDIC_READY                BIT(28)

/* The PHY of the I226 has come out of its reset: igc igc_phy.c:igc_phy_hw_reset() */
#define I226_PHPM                   0x00e14
#define   PHPM_RST_COMP             BIT(8)

/*
 * Non-volatile memory: igb e1000_i210.c, e1000_nvm.c:igb_read_nvm_eerd(). The
 * aliases at 0x00010 and 0x00014 are those of older controllers.
 */
#define I210_EEC                    0x12010
#define   EEC_PRES                  BIT(8)
#define   EEC_AUTO_RD               BIT(9)
#define   EEC_SIZE_SHIFT            11
#define   EEC_FLASH_DETECTED        BIT(19)
#define   EEC_FLUDONE               BIT(26)
#define I210_EERD                   0x12014
#define   EERD_START                BIT(0)
#define   EERD_DONE                 BIT(1)
#define   EERD_ADDR_SHIFT           2
#define   EERD_ADDR_LENGTH          14
#define   EERD_DATA_SHIFT           16
#define I210_EEMNGCTL               0x12030
#define   EEMNGCTL_CFG_DONE         BIT(18)

/* Semaphores: igb e1000_i210.c:igb_get_hw_semaphore_i210() */
#define I210_SWSM                   0x05b50
#define   SWSM_SMBI                 BIT(0)
#define   SWSM_SWESMBI              BIT(1)
#define I210_FWSM                   0x05b54
#define I210_SW_FW_SYNC             0x05b5c

/* Interrupts: DS 7.3 and 8.8. ICR to IAM have aliases at 0x000c0 to 0x000e0. */
#define I210_ICR                    0x01500
#define   ICR_TXDW                  BIT(0)
#define   ICR_LSC                   BIT(2)
#define   ICR_TIME_SYNC             BIT(19)
#define   ICR_INTA                  BIT(31)
#define I210_ICS                    0x01504
#define I210_IMS                    0x01508
#define I210_IMC                    0x0150c
#define I210_IAM                    0x01510
#define I210_GPIE                   0x01514
#define   GPIE_NSICR                BIT(0)
#define   GPIE_MULTIPLE_MSIX        BIT(4)
#define   GPIE_EIAME                BIT(30)
#define I210_EICS                   0x01520
#define I210_EIMS                   0x01524
#define I210_EIMC                   0x01528
#define I210_EIAC                   0x0152c
#define I210_EIAM                   0x01530
#define I210_EITR(n)                (0x01680 + 4 * (n))
#define   EITR_INTERVAL_SHIFT       2           /* us, DS 8.8.14 */
#define   EITR_INTERVAL_LENGTH      13
#define I210_EICR                   0x01580
#define   EICR_OTHER                BIT(31)
#define   EICR_MSIX                 0x0000001f  /* DS 8.8.3, table 8-12 */
#define I210_IVAR(n)                (0x01700 + 4 * (n))
#define I210_IVAR_MISC              0x01740
#define   IVAR_VECTOR               0x07
#define   IVAR_VALID                BIT(7)
#define   IVAR_MISC_OTHER_SHIFT     8

/* Transmit: igb e1000_regs.h, e1000_82575.h. Aliases at 0x03800 + 0x100 * n. */
#define I210_TCTL                   0x00400
#define   TCTL_EN                   BIT(1)
#define I210_TDBAL(n)               (0x0e000 + 0x40 * (n))
#define I210_TDBAH(n)               (0x0e004 + 0x40 * (n))
#define I210_TDLEN(n)               (0x0e008 + 0x40 * (n))
#define I210_TDH(n)                 (0x0e010 + 0x40 * (n))
#define I210_TDT(n)                 (0x0e018 + 0x40 * (n))
#define I210_TXDCTL(n)              (0x0e028 + 0x40 * (n))
#define   TXDCTL_ENABLE             BIT(25)
#define   TXD_CMD_RS                BIT(27)
#define   TXD_STAT_DD               BIT(0)

/* Packet buffers: igb e1000_defines.h, I210_RXPBSIZE_DEFAULT, I210_TXPB.. */
#define I210_RXPBS                  0x02404
#define   RXPBS_DEFAULT             0x000000a2
#define I210_TXPBS                  0x03404
#define   TXPBS_DEFAULT             0x04000014

/* Own address: igb e1000_regs.h */
#define I210_RAL0                   0x05400
#define I210_RAH0                   0x05404
#define   RAH_AV                    BIT(31)

/* Clock: DS 7.8.3 and 8.15; igb igb_ptp.c */
#define I210_SYSTIML                0x0b600
#define I210_SYSTIMH                0x0b604
#define I210_TIMINCA                0x0b608
#define   TIMINCA_VALUE             0x7fffffff
#define   TIMINCA_SUBTRACT          BIT(31)
#define I210_SYSTIMR                0x0b6f8
#define I210_TSAUXC                 0x0b640
#define   TSAUXC_EN_TT(n)           BIT(n)
#define   TSAUXC_EN_CLK(n)          BIT(2 + 3 * (n))
#define   TSAUXC_SAMP_AUT(n)        BIT(3 + 3 * (n))
#define   TSAUXC_ST(n)              BIT(4 + 3 * (n))
#define   TSAUXC_EN_TS(n)           BIT(8 + 2 * (n))
#define   TSAUXC_AUTT(n)            BIT(9 + 2 * (n))
#define   TSAUXC_DISABLE_SHIFT      31
#define   TSAUXC_DISABLE            BIT(TSAUXC_DISABLE_SHIFT)
#define I210_TRGTTIML(n)            (0x0b644 + 8 * (n))
#define I210_TRGTTIMH(n)            (0x0b648 + 8 * (n))
#define I210_FREQOUT(n)             (0x0b654 + 4 * (n))
#define I210_AUXSTMPL(n)            (0x0b65c + 8 * (n))
#define I210_AUXSTMPH(n)            (0x0b660 + 8 * (n))
#define I210_TSICR                  0x0b66c
#define   TSICR_SYS_WRAP            BIT(0)
#define   TSICR_TT(n)               BIT(3 + (n))
#define   TSICR_AUTT(n)             BIT(5 + (n))
#define I210_TSIM                   0x0b674

/* PTM of the I226: igc igc_regs.h, igc_defines.h */
#define I226_PTM_CTRL               0x12540
#define   PTM_CTRL_TO_SHIFT         8
#define   PTM_CTRL_TO_LENGTH        8
#define   PTM_CTRL_EN               BIT(30)
#define   PTM_CTRL_TRIG             BIT(31)
#define I226_PTM_STAT               0x12544
#define   PTM_STAT_VALID            BIT(0)
#define   PTM_STAT_RET_ERR          BIT(1)
#define   PTM_STAT_BAD_RES          BIT(2)
#define I226_PTM_T1_L               0x12558
#define I226_PTM_T1_H               0x1255c
#define I226_PTM_PREV_T4M1          0x12578
#define I226_PTM_CURR_T4M1          0x1257c
#define I226_PTM_PREV_T3M2          0x12580
#define I226_PTM_CURR_T2_L          0x1258c
#define I226_PTM_CURR_T2_H          0x12590

/* Pins of the clock: igb e1000_defines.h, igb_ptp.c:igb_pin_perout() */
#define I210_TSSDP                  0x0003c
#define   TSSDP_AUX_PIN_SHIFT(n)    (3 * (n))
#define   TSSDP_AUX_EN(n)           BIT(2 + 3 * (n))
#define   TSSDP_SEL_SHIFT(pin)      (6 + 3 * (pin))
#define   TSSDP_EN(pin)             BIT(8 + 3 * (pin))
#define I210_PINS                   4

#endif
