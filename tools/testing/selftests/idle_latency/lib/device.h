/* SPDX-License-Identifier: GPL-2.0 */
/* The calls of /dev/idle_latency; each returns 0 or more, or -errno. */
#ifndef DEVICE_H
#define DEVICE_H

#include <sys/types.h>

#include <linux/idle_latency.h>

#define DEVICE_PATH "/dev/idle_latency"

int device_open(int flags);
int device_config(int fd, const struct idle_latency_config *config);
int device_start(int fd);
/* Both of them. */
int device_begin(int fd, const struct idle_latency_config *config);
int device_stop(int fd);
int device_counts(int fd, struct idle_latency_counts *counts);
/* @state: with the CPU and the index set */
int device_state(int fd, struct idle_latency_state *state);

/* Returns the number of records read. */
ssize_t device_read(int fd, struct idle_latency_record *records, size_t room);

#endif
