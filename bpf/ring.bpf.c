/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* The one definition of what the probes share. */
#include "vmlinux.h"

#include "bpf/sock.bpf.h"
#include "bpf/thread.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct ring_map ring SEC(".maps");
struct thread_map threads SEC(".maps");
struct sock_map socks SEC(".maps");

const volatile struct target targets[TARGETS_MAX] = {};
struct run_count run_counts[RUN_COUNT_CPUS] = {};
__u64 lost_ring_full[LOST_KINDS] = {};
__u64 lost_no_storage = 0;
__u64 lost_unseen = 0;
__u8 sock_ports[PORTS_MAX] = {};
__u32 nr_conns = 0;
__u32 nr_held = 0;
__u32 sockets_seen = 0;
