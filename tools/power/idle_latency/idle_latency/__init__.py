# SPDX-License-Identifier: GPL-2.0
"""Shows and compares what runs of the selftest latency_test have written."""
