/* SPDX-License-Identifier: GPL-2.0 */
/* The verdict table. */
#ifndef TABLE_H
#define TABLE_H

#include "row.h"

void table_print(const struct row *rows, size_t count,
		 const struct options *options);

#endif
