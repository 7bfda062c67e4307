// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "card.h"
#include "sysfs.h"

bool card_find(char *address, size_t size)
{
	DIR *dir = opendir(CARD_DRIVER);
	const struct dirent *entry;
	bool found = false;

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		if (strchr(entry->d_name, ':'))
			found = snprintf(address, size, "%s", entry->d_name) < (int)size;
	closedir(dir);
	return found;
}

bool card_unbind(const char *address)
{
	return sysfs_write(CARD_DRIVER "/unbind", address);
}

bool card_bind(const char *address)
{
	return sysfs_write(CARD_DRIVER "/bind", address);
}
