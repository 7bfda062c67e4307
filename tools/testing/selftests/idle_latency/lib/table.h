/* SPDX-License-Identifier: GPL-2.0 */
/* The verdict table. */
#ifndef TABLE_H
#define TABLE_H

#include "row.h"

void table_begin(void);

/* The awake CPU, as a row that is not judged; nothing where it has no sample. */
void table_awake(const struct row *row);
void table_row(const struct row *row);

/* What the rows have to be read with. */
void table_end(const struct row *rows, size_t count,
	       const struct options *options);

#endif
