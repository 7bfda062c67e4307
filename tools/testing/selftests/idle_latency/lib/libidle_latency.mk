# SPDX-License-Identifier: GPL-2.0
#
# What the programs of idle_latency and of idle_latency/stress share. To be
# included after lib.mk; each of the two has objects of its own.

LIBIDLE_LATENCY_DIR := $(selfdir)/idle_latency/lib
LIBIDLE_LATENCY_OUTPUT := $(OUTPUT)/libidle_latency

LIBIDLE_LATENCY_C := accounting.c causes.c collect.c collection.c complaints.c cpus.c \
	csv.c device.c discards.c drift.c environment.c figures.c idle_states.c interrupts.c keep.c \
	machine.c meanwhile.c measure.c measured_cpu.c options.c package.c packed.c phases.c \
	plan.c power.c prepare.c progress.c proposal.c provenance.c reference.c report.c \
	rows.c run_rows.c run_units.c scan.c self_check.c self_check_sessions.c session.c \
	statistics.c summary.c table.c take.c tally.c types.c undo.c util.c verdict.c \
	waker.c
LIBIDLE_LATENCY_O := $(patsubst %.c,$(LIBIDLE_LATENCY_OUTPUT)/%.o,$(LIBIDLE_LATENCY_C))

CFLAGS += -I$(LIBIDLE_LATENCY_DIR)
# Statistics, and what children do, for which the C library may need another one.
LDLIBS += -lm -lpthread

$(LIBIDLE_LATENCY_OUTPUT):
	mkdir -p $@

$(LIBIDLE_LATENCY_O): $(LIBIDLE_LATENCY_OUTPUT)/%.o: $(LIBIDLE_LATENCY_DIR)/%.c \
		$(LOCAL_HDRS) | $(LIBIDLE_LATENCY_OUTPUT)
	$(call msg,CC,,$@)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c $< -o $@

EXTRA_CLEAN += $(LIBIDLE_LATENCY_OUTPUT)
