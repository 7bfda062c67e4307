// SPDX-License-Identifier: GPL-2.0
/* The network card that a program measures with. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "idle_latency_util.h"
#include "prepare.h"

bool beside_program(const char *name, char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size);

	while (length > 0 && path[length - 1] != '/')
		length--;
	return length > 0 && snprintf(path + length, size - length, "%s", name) <
			     (int)(size - length);
}

/* That of idle_latency is for stress/, too, wherever that is not installed alone. */
bool nic_sh_find(char *path, size_t size)
{
	return (beside_program("nic.sh", path, size) && !access(path, R_OK)) ||
	       (beside_program("../nic.sh", path, size) && !access(path, R_OK));
}

static int nic_sh(const char *command, const char *address, char *said,
		  size_t size)
{
	char path[PATH_MAX];
	const char * const argv[] = { "sh", path, command, address, NULL };

	if (!nic_sh_find(path, sizeof(path)))
		return -1;
	return command_run(argv, said, size);
}

static bool has_driver(const char *address)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", address);
	return !access(path, F_OK);
}

/* Returns the number of the step, or -1. */
static int undo_by_nic_sh(const char *address)
{
	char path[PATH_MAX];
	const char * const argv[] = {
		"sh", path, "give", address,
		has_driver(address) ? NULL : "unbound", NULL
	};

	if (!nic_sh_find(path, sizeof(path)))
		return -1;
	return undo_run(argv);
}

static bool take_card(const char *address, struct obstacle *obstacle)
{
	int step = undo_by_nic_sh(address);
	int code = -1;

	if (step >= 0)
		code = nic_sh("take", address, obstacle->said,
			      sizeof(obstacle->said));
	if (!code)
		return true;
	/* When it was killed, the card may have been taken. */
	if (code > 0)
		undo_withdraw(step);
	obstacle->reason = "the driver does not take the network card: see the kernel log";
	obstacle->fails = true;
	return false;
}

/*
 * How to take a card and to give it back is in nic.sh, because people do that, too:
 * a program only chooses one, and gives it back.
 */
bool driver_take_card(bool bound_too, struct obstacle *obstacle)
{
	char found[64];

	*obstacle = (struct obstacle) {
		.reason = "no network card: nic needs an Intel I210 or I211",
	};
	if (nic_sh("find", NULL, found, sizeof(found)))
		return false;
	if (!strncmp(found, "taken ", 6))
		return true;
	if (!strncmp(found, "free ", 5))
		return take_card(found + 5, obstacle);
	if (!strncmp(found, "bound ", 6) && bound_too)
		return take_card(found + 6, obstacle);
	if (!strncmp(found, "bound ", 6)) {
		obstacle->reason = "card has a driver: name nic with --methods";
		snprintf(obstacle->said, sizeof(obstacle->said),
			 "%s has an interface that is down", found + 6);
	}
	if (!strncmp(found, "used ", 5)) {
		obstacle->reason = "card in use: set its interface down first";
		snprintf(obstacle->said, sizeof(obstacle->said),
			 "%s has an interface that is up or part of another one, or that cannot be seen",
			 found + 5);
	}
	return false;
}
