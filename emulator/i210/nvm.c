/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: the non-volatile memory, which is a flash that
 * cannot be written, and the semaphores that guard it.
 */

#include "qemu/osdep.h"
#include "i210.h"

/* In EEC: 2 ^ (6 + 5) words. igb e1000_82575.c:igb_init_nvm_params_82575() */
#define SIZE_CODE 5

/* What the first words add up to: e1000_nvm.c:igb_validate_nvm_checksum() */
#define CHECKSUM_WORD 0x3f
#define CHECKSUM_SUM 0xbaba
#define BLANK 0xffff
#define DEVICE_WORD 0x0d

/* Words that igb reads: igb e1000_defines.h, NVM_*. DS 6.8 */
static const uint16_t words[CHECKSUM_WORD] = {
    /* 02:00:00:00:02:10, a locally administered address */
    [0x00] = 0x0002,
    [0x01] = 0x0000,
    [0x02] = 0x1002,
    [0x04] = BLANK,    /* ID LED settings: default */
    [0x05] = 0x3025,    /* version of the map: 3.25 */
    [DEVICE_WORD] = I210_DEVICE_ID,
    [0x0e] = 0x8086,    /* vendor */
    [0x37] = BLANK,    /* no alternate address */
    [0x3d] = BLANK,    /* no combined image */
};

uint16_t i210_nvm_word(I210State *s, unsigned word)
{
    uint16_t sum = CHECKSUM_SUM;

    if (word == DEVICE_WORD && s->is_i226) {
        return I226_DEVICE_ID;
    }
    if (word < CHECKSUM_WORD) {
        return words[word];
    }
    if (word > CHECKSUM_WORD) {
        return BLANK;
    }
    for (unsigned i = 0; i < CHECKSUM_WORD; i++) {
        sum -= i210_nvm_word(s, i);
    }
    return sum;
}

static void eerd_write(I210State *s, uint32_t addr, uint32_t value)
{
    uint32_t word = extract32(value, EERD_ADDR_SHIFT, EERD_ADDR_LENGTH);

    if (value & EERD_START) {
        value = (word << EERD_ADDR_SHIFT) | EERD_DONE |
                (uint32_t)i210_nvm_word(s, word) << EERD_DATA_SHIFT;
    }
    *i210_reg(s, addr) = value;
}

static uint32_t eec_read(I210State *s, uint32_t addr)
{
    uint32_t value = EEC_PRES | EEC_FLASH_DETECTED | EEC_FLUDONE |
                     SIZE_CODE << EEC_SIZE_SHIFT;

    return s->resetting || s->no_auto_read ? value : value | EEC_AUTO_RD;
}

static uint32_t eemngctl_read(I210State *s, uint32_t addr)
{
    return s->resetting ? 0 : EEMNGCTL_CFG_DONE;
}

/* Who reads SMBI as 0 has it: the read sets it. */
static uint32_t swsm_read(I210State *s, uint32_t addr)
{
    uint32_t value = *i210_reg(s, addr);

    *i210_reg(s, addr) |= SWSM_SMBI;
    return value;
}

/* No firmware wants the other semaphore, so that it is always granted. */
static void swsm_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, addr) = value & (SWSM_SMBI | SWSM_SWESMBI);
}

static uint32_t fwsm_read(I210State *s, uint32_t addr)
{
    return 0;           /* no firmware runs */
}

const I210Reg i210_nvm_regs[] = {
    { I210_EERD, NULL, eerd_write },
    { I210_EEC, eec_read, NULL },
    { I210_EEMNGCTL, eemngctl_read, NULL },
    { I210_SWSM, swsm_read, swsm_write },
    { I210_FWSM, fwsm_read, NULL },
    { }
};
