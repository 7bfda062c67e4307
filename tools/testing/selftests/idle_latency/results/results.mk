# SPDX-License-Identifier: GPL-2.0
#
# What the programs share that read results. To be included after
# lib/libidle_latency.mk, whose objects they need, too.

RESULTS_OUTPUT := $(OUTPUT)/libresults
RESULTS_C := $(wildcard results/*.c)
RESULTS_O := $(patsubst results/%.c,$(RESULTS_OUTPUT)/%.o,$(RESULTS_C))

CFLAGS += -Iresults

$(RESULTS_OUTPUT):
	mkdir -p $@

$(RESULTS_O): $(RESULTS_OUTPUT)/%.o: results/%.c $(LOCAL_HDRS) | $(RESULTS_OUTPUT)
	$(call msg,CC,,$@)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c $< -o $@

EXTRA_CLEAN += $(RESULTS_OUTPUT)
