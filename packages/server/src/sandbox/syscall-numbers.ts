// System call numbers for the two supported architectures: data for seccomp-filter.ts, from the tables of the kernel. A
// missing number means that the architecture never had that call. Data only.

export type Architecture = 'x64' | 'arm64'

/** The highest call number known when this was written. Newer calls return ENOSYS. */
export const HIGHEST_KNOWN = 469

/** The AUDIT_ARCH value of the architecture in seccomp_data. */
export const AUDIT_ARCH: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 }

export type CallNumbers = Readonly<Partial<Record<Architecture, number>>>

/** Not needed by development commands; each has been a way out of a sandbox, or exposes much of the kernel. */
export const DENIED: Readonly<Record<string, CallNumbers>> = {
  // Other file systems, another root.
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  chroot: { x64: 161, arm64: 51 },
  open_tree: { x64: 428, arm64: 428 },
  move_mount: { x64: 429, arm64: 429 },
  fsopen: { x64: 430, arm64: 430 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fspick: { x64: 433, arm64: 433 },
  mount_setattr: { x64: 442, arm64: 442 },
  statmount: { x64: 457, arm64: 457 },
  listmount: { x64: 458, arm64: 458 },
  open_tree_attr: { x64: 467, arm64: 467 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  // Other namespaces.
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  // Other processes.
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  process_madvise: { x64: 440, arm64: 440 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  kcmp: { x64: 312, arm64: 272 },
  // Work that the kernel does without passing this filter, or programs that run in the kernel.
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  fanotify_init: { x64: 300, arm64: 262 },
  // Keyrings are not separated by namespaces.
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  // The machine itself.
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  create_module: { x64: 174 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  reboot: { x64: 169, arm64: 142 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: { x64: 443, arm64: 443 },
  acct: { x64: 163, arm64: 89 },
  syslog: { x64: 103, arm64: 116 },
  settimeofday: { x64: 164, arm64: 170 },
  clock_settime: { x64: 227, arm64: 112 },
  clock_adjtime: { x64: 305, arm64: 266 },
  sethostname: { x64: 170, arm64: 161 },
  setdomainname: { x64: 171, arm64: 162 },
  vhangup: { x64: 153, arm64: 58 },
  iopl: { x64: 172 },
  ioperm: { x64: 173 },
  // Obsolete and unmaintained.
  modify_ldt: { x64: 154 },
  uselib: { x64: 134 },
  nfsservctl: { x64: 180, arm64: 42 },
  lookup_dcookie: { x64: 212, arm64: 18 },
  vserver: { x64: 236 },
}

/** Return ENOSYS: their arguments are in memory, where a filter cannot read them. */
export const ANSWERED_ENOSYS: Readonly<Record<string, CallNumbers>> = {
  // Callers fall back to clone, whose flags are in a register.
  clone3: { x64: 435, arm64: 435 },
  // Callers fall back to openat, whose mode is in a register.
  openat2: { x64: 437, arm64: 437 },
}

/** Allowed with some arguments only; the filter has a rule for each. */
export const CHECKED_BY_ARGUMENT = {
  clone: { x64: 56, arm64: 220 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
  ioctl: { x64: 16, arm64: 29 },
  open: { x64: 2 },
  openat: { x64: 257, arm64: 56 },
  creat: { x64: 85 },
  mknod: { x64: 133 },
  mknodat: { x64: 259, arm64: 33 },
  chmod: { x64: 90 },
  fchmod: { x64: 91, arm64: 52 },
  fchmodat: { x64: 268, arm64: 53 },
  fchmodat2: { x64: 452, arm64: 452 },
} as const satisfies Record<string, CallNumbers>
