// What every Seatbelt profile allows besides files: processes, devices, facts about the machine, the network and its
// services. Used by seatbelt-profile.ts. Pure.

/** All of them describe the machine or the system, and none a process. */
const READABLE_SYSCTLS = `
  hw.activecpu hw.busfrequency_compat hw.byteorder hw.cacheconfig hw.cachelinesize hw.cachelinesize_compat
  hw.cpu64bit_capable hw.cpufamily hw.cpufrequency hw.cpufrequency_compat hw.cpusubtype hw.cputype hw.l1dcachesize
  hw.l1dcachesize_compat hw.l1icachesize hw.l1icachesize_compat hw.l2cachesize hw.l2cachesize_compat hw.l3cachesize
  hw.l3cachesize_compat hw.logicalcpu hw.logicalcpu_max hw.machine hw.memsize hw.model hw.ncpu hw.nperflevels
  hw.packages hw.pagesize hw.pagesize_compat hw.physicalcpu hw.physicalcpu_max hw.tbfrequency hw.tbfrequency_compat
  hw.vectorunit kern.argmax kern.bootargs kern.boottime kern.clockrate kern.hostname kern.iossupportversion
  kern.maxfiles kern.maxfilesperproc kern.maxproc kern.ngroups kern.osproductversion kern.osrelease kern.ostype
  kern.osvariant_status kern.osversion kern.secure_kernel kern.sysv.semmns kern.tcsm_available kern.tcsm_enable
  kern.usrstack64 kern.version kern.willshutdown machdep.ptrauth_enabled security.mac.lockdown_mode_state
  sysctl.name2oid sysctl.oidfmt sysctl.proc_cputype vm.loadavg vm.pagesize`
  .trim()
  .split(/\s+/)

const READABLE_SYSCTL_PREFIXES = ['hw.optional.', 'hw.perflevel', 'machdep.cpu.', 'net.routetable.']

const SYSCTL_FILTERS = [
  ...READABLE_SYSCTLS.map((name) => `(sysctl-name "${name}")`),
  ...READABLE_SYSCTL_PREFIXES.map((prefix) => `(sysctl-name-prefix "${prefix}")`),
].map((filter) => `\n  ${filter}`)

/**
 * Programs run and signal each other; they reach the user database, the log and no service that starts programs.
 * `(deny default)` does not include the first two: without the rule, a command can list all processes and read their
 * arguments and environment (KERN_PROCARGS2), although no sysctl of that name is readable. A hard link would be a second
 * path of a file, which the rules for the first do not name.
 */
export const PROCESS_RULES = `(deny process-info* nvram*)
(deny file-link file-clone)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow mach-priv-task-port (target same-sandbox))
(allow user-preference-read)
(allow sysctl-read${SYSCTL_FILTERS.join('')})
(allow ipc-posix-shm)
(allow ipc-posix-sem)
(allow mach-lookup
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.logd")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership"))`

/**
 * Of the devices only harmless ones, whatever else is readable. A command opens no terminals but those that it made
 * itself, which have the extension: in others the user types passwords, and their programs obey what is written there.
 * It is started on a terminal that is already open, and only sets the modes of that one.
 */
export const DEVICE_RULES = `(deny file-read* file-write* (subpath "/dev"))
(allow file-read* (literal "/dev"))
(allow file-read-metadata (subpath "/dev"))
(allow file-ioctl file-read* file-write-data
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/random")
  (literal "/dev/urandom")
  (literal "/dev/dtracehelper")
  (literal "/dev/tty"))
(allow pseudo-tty)
(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))
(allow file-ioctl file-read* file-write*
  (literal "/dev/ptmx")
  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(allow file-read* file-write-data (subpath "/dev/fd"))`

/** It tells the names of changed files, also of hidden ones: only where other names can be read. */
export const FILE_EVENT_RULES = '(allow mach-lookup (global-name "com.apple.FSEvents"))'

/** Everything but the sockets of services on this machine; host names are resolved over one of them. */
export const NETWORK_RULES = `(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))
(allow system-socket (socket-domain AF_UNIX))
(allow network*)
(deny network-outbound (remote unix-socket (path-regex #"^/")))
(deny network-bind (local unix-socket (path-regex #"^/")))
(allow network-outbound (remote unix-socket (subpath "/private/var/run/mDNSResponder")))
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.DNSConfiguration")
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.dnssd.service")
  (global-name "com.apple.trustd.agent"))`
