// Starts shells for the server, waits for them, and passes their output on: what shell-supervisor.sh does for plain
// commands, at a fraction of the cost. Freestanding (no libc), one thread, no configuration. Started by shell-launcher.ts
// with one argument, the tags that every command inherits; requests arrive on fd 3, reports are written to fd 4.
//
// A request is a header of three 32-bit numbers (kind, shell, payload length) and a payload:
//   S  start a shell: NUL-terminated strings: askpass key, seccomp file or "", number of cgroup files, these files, argv
//   N  the same, when a command has exited or a few milliseconds have passed: starting it at once would slow that down
//   R  run a command: its text, with the NUL that ends it. The shell reads it from its fd 3
//   D  discard a shell that has no command: it exits
//   P, C  pause and continue reading the output
//   Q  exit when all shells have exited and their output is closed
// A report is a header of four numbers (kind, shell, value, payload length) and a payload:
//   H  ready   F  not started (errno)   O  output   Z  output closed, after the exit
//   S  started (pid): with the exit, or a few milliseconds after the command was sent
//   X  exited (status as a shell reports it, plus 256 if commands have left children, 512 if that is not known, 1024 if the
//      status is not known, 2048 if it exited without a command)
// Each shell has a watcher, a process that waits for it and exits with its status: a command that kills its parent kills
// its watcher only. The kernel then gives the shell to this process, which waits for it itself. A watcher shares the
// memory of this process and has a stack of its own: a copy of the memory would take longer than all else.
// If the requests end without Q, the server is gone: this process exits at once, and the supervisor ends the commands.

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/eventpoll.h>
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/time_types.h>
#include <linux/wait.h>

typedef unsigned int u32;
typedef unsigned long usize;

enum {
  REQUESTS = 3,
  REPORTS = 4,
  MAX_SHELLS = 1024,
  MAX_REQUEST = 1 << 17,
  PIPE_BYTES = 1 << 16,
  MAX_ARGUMENTS = 4096,
  MAX_VARIABLES = 8192,
  /** Most commands have exited by then, and their output and exit are one report. */
  READ_AFTER_MS = 4,
  /** A process that keeps writing must not delay the others. */
  MAX_READS_AT_EXIT = 4,
  MAX_PENDING = 16,
  MAX_PENDING_BYTES = 4096,
  REQUEST_HEADER = 12,
  REPORT_HEADER = 16,
  LEFT_CHILDREN = 256,
  CHILDREN_UNKNOWN = 512,
  STATUS_UNKNOWN = 1024,
  NO_COMMAND = 2048,
  REQUEST_EVENT = MAX_SHELLS,
  CHILD_EVENT,
};

struct shell {
  u32 number;
  // `pid` is that of the watcher, or of the shell if the watcher is gone.
  int is_used, pid, output, command;
  int is_adopted, is_start_reported, has_command;
  int is_paused, is_polled, is_waiting, has_exited;
  long run_at;
};

static long call(long number, long a, long b, long c, long d, long e) {
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                x3 __asm__("x3") = d, x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
#endif
}

#define SYSTEM(name, a, b, c, d) call(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0)

// The stack at the entry holds argc, argv and the environment.
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call launch\n hlt\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n mov x29, xzr\n mov x30, xzr\n mov x0, sp\n bl launch\n brk 1\n");
#endif

// The compiler may call these two.
void *memcpy(void *to, const void *from, usize length) {
  char *target = to;
  const char *source = from;
  while (length--) *target++ = *source++;
  return to;
}

void *memset(void *to, int value, usize length) {
  char *target = to;
  while (length--) *target++ = (char)value;
  return to;
}

static struct shell shells[MAX_SHELLS];
// Written by the watchers.
static volatile struct {
  int pid, error, is_known;
} started[MAX_SHELLS];
static char watcher_stacks[MAX_SHELLS][4096] __attribute__((aligned(16)));
// The shell of the watcher that is being started.
static volatile u32 watched;
static u32 shell_limit;
static int running, waiting;
static int events_fd, signals_fd, null_fd;
static int is_stopping;
static const unsigned long ALL_SIGNALS = ~0UL, NO_SIGNALS = 0;

static char requests[MAX_REQUEST];
static u32 requests_length;
static char reports[2 * PIPE_BYTES];
static u32 reports_length;
// The server does not wait for what is in `reports`.
static int is_report_late;

static struct {
  u32 number, length;
  char payload[MAX_PENDING_BYTES];
} pending[MAX_PENDING];
static u32 pending_count;
static long pending_since;

static const char *tags;
static char *variables[MAX_VARIABLES];
static char tag_variable[4096], key_variable[256];
static u32 variables_length;

static usize length_of(const char *text) {
  usize length = 0;
  while (text[length]) length++;
  return length;
}

static __attribute__((noreturn)) void leave(int status) {
  for (;;) SYSTEM(exit_group, status, 0, 0, 0);
}

static long now_ms(void) {
  struct __kernel_timespec time;
  SYSTEM(clock_gettime, 1, &time, 0, 0);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void close_fd(int *fd) {
  if (*fd >= 0) SYSTEM(close, *fd, 0, 0, 0);
  *fd = -1;
}

// The server has created the descriptor; it may be one that does not block.
static void wait_for_room(void) {
  struct {
    int fd;
    short events, revents;
  } descriptor = {REPORTS, 4, 0};
  call(__NR_ppoll, (long)&descriptor, 1, 0, 0, 0);
}

static void flush_reports(void) {
  u32 written = 0;
  while (written < reports_length) {
    long count = SYSTEM(write, REPORTS, reports + written, reports_length - written, 0);
    if (count > 0) written += (u32)count;
    else if (count == -EAGAIN) wait_for_room();
    else if (count != -EINTR) leave(1);
  }
  reports_length = 0;
  is_report_late = 0;
}

// Its payload follows, unless the length is 0.
static void report(char kind, u32 number, u32 value, u32 length) {
  u32 header[4] = {(u32)kind, number, value, length};
  if (reports_length + REPORT_HEADER + length > sizeof reports) flush_reports();
  memcpy(reports + reports_length, header, REPORT_HEADER);
  reports_length += REPORT_HEADER;
  is_report_late = 1;
}

static struct shell *find_shell(u32 number) {
  for (u32 index = 0; index < shell_limit; index++)
    if (shells[index].is_used && shells[index].number == number) return &shells[index];
  return 0;
}

static void poll_output(struct shell *shell, int is_wanted) {
  struct epoll_event event = {EPOLLIN, (u32)(shell - shells)};
  if (shell->output < 0 || shell->is_polled == is_wanted) return;
  SYSTEM(epoll_ctl, events_fd, is_wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, shell->output, &event);
  shell->is_polled = is_wanted;
}

static void release_if_done(struct shell *shell) {
  if (!shell->has_exited || shell->output >= 0) return;
  close_fd(&shell->command);
  waiting -= shell->is_waiting;
  shell->is_used = shell->is_waiting = 0;
}

// Passes on what is in the pipe, in at most `reads` parts. The end is reported with the exit, or after it.
static void read_output(struct shell *shell, int reads) {
  while (reads-- > 0 && shell->output >= 0) {
    if (reports_length + REPORT_HEADER + PIPE_BYTES > sizeof reports) flush_reports();
    long count = SYSTEM(read, shell->output, reports + reports_length + REPORT_HEADER, PIPE_BYTES, 0);
    if (count == -EAGAIN || count == -EINTR) return;
    if (count > 0) {
      report('O', shell->number, 0, (u32)count);
      reports_length += (u32)count;
      continue;
    }
    close_fd(&shell->output);
    shell->is_polled = 0;
    if (shell->has_exited) report('Z', shell->number, 0, 0);
  }
  release_if_done(shell);
}

// More children than shells: a command has left some, which were given to this process.
static int left_children(void) {
  static char list[8192];
  int fd = (int)SYSTEM(openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return CHILDREN_UNKNOWN;
  long length = SYSTEM(read, fd, list, sizeof list, 0);
  SYSTEM(close, fd, 0, 0, 0);
  if (length < 0 || length == sizeof list) return CHILDREN_UNKNOWN;
  int count = 0;
  for (long at = 0; at < length; at++) count += list[at] == ' ';
  return count > running ? LEFT_CHILDREN : 0;
}

static int exits;

static u32 shell_status(int status) {
  int signal = status & 0x7f;
  return signal ? 128 + (u32)signal : (u32)(status >> 8) & 0xff;
}

// False if it is still running: its watcher was killed, or stopped.
static int has_shell_exited(struct shell *shell, int status, u32 *result) {
  int is_stopped = (status & 0xff) == 0x7f;
  int is_killed = !is_stopped && (status & 0x7f) != 0;
  int pid = started[shell - shells].pid;
  if (is_stopped) {
    if (!shell->is_adopted) SYSTEM(kill, shell->pid, SIGCONT, 0, 0);
    return 0;
  }
  *result = shell_status(status);
  if (shell->is_adopted || !is_killed || pid == 0) return 1;
  long found = SYSTEM(wait4, pid, &status, WNOHANG, 0);
  *result = found == pid ? shell_status(status) : STATUS_UNKNOWN;
  if (found != 0) return 1;
  shell->pid = pid;
  return !(shell->is_adopted = 1);
}

static void report_start(struct shell *shell) {
  int pid = started[shell - shells].pid;
  if (pid == 0 || shell->is_start_reported) return;
  report('S', shell->number, (u32)pid, 0);
  shell->is_start_reported = 1;
}

// A watcher that has started no shell: the command has not run.
static void report_failure(struct shell *shell) {
  int error = started[shell - shells].error;
  report('F', shell->number, error ? (u32)error : ESRCH, 0);
  close_fd(&shell->output);
  shell->is_polled = 0;
  release_if_done(shell);
}

static void reap_children(void) {
  static struct shell *exited[MAX_SHELLS];
  static u32 statuses[MAX_SHELLS];
  u32 count = 0;
  char signals[1024];
  SYSTEM(read, signals_fd, signals, sizeof signals, 0);
  for (int status; count < MAX_SHELLS;) {
    long pid = SYSTEM(wait4, -1, &status, WNOHANG | WUNTRACED, 0);
    if (pid <= 0) break;
    for (u32 index = 0; index < shell_limit; index++) {
      struct shell *shell = &shells[index];
      if (!shell->is_used || shell->has_exited || shell->pid != pid) continue;
      if (!has_shell_exited(shell, status, &statuses[count])) break;
      exited[count++] = shell;
      shell->has_exited = 1;
      running--;
      break;
    }
  }
  if (count == 0) return;
  exits += (int)count;
  u32 left = (u32)left_children();
  for (u32 index = 0; index < count; index++) {
    struct shell *shell = exited[index];
    close_fd(&shell->command);
    if (started[shell - shells].pid == 0) {
      report_failure(shell);
      continue;
    }
    report_start(shell);
    if (shell->output < 0) report('Z', shell->number, 0, 0);
    else if (!shell->is_paused) read_output(shell, MAX_READS_AT_EXIT);
    report('X', shell->number, statuses[index] | left | (shell->has_command ? 0 : NO_COMMAND), 0);
    // A child may have it open.
    if (!shell->is_paused) poll_output(shell, 1);
    release_if_done(shell);
  }
}

static struct {
  char *argv[MAX_ARGUMENTS];
  char *cgroup_files[64];
  char *seccomp_file;
  int output, command;
} child;
static volatile int child_error;

static __attribute__((noreturn)) void fail_child(long error) {
  child_error = (int)-error;
  leave(127);
}

static void put_fd(int fd, int as) {
  long result = fd == as ? SYSTEM(fcntl, fd, F_SETFD, 0, 0) : SYSTEM(dup3, fd, as, 0, 0);
  if (result < 0) fail_child(result);
}

// Runs in the memory of its parent, which waits until execve: it may only change `child_error`. No arguments, because
// the frame of the caller must stay as it is.
static __attribute__((noreturn, noinline)) void exec_shell(void) {
  SYSTEM(setpgid, 0, 0, 0, 0);
  for (u32 index = 0; child.cgroup_files[index]; index++) {
    long fd = SYSTEM(openat, AT_FDCWD, child.cgroup_files[index], O_WRONLY | O_CLOEXEC, 0);
    long written = fd < 0 ? fd : SYSTEM(write, fd, "0", 1, 0);
    if (written < 0) fail_child(written);
  }
  put_fd(null_fd, 0);
  put_fd(child.output, 1);
  put_fd(child.output, 2);
  put_fd(child.command, 3);
  if (*child.seccomp_file) {
    long fd = SYSTEM(openat, AT_FDCWD, child.seccomp_file, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) fail_child(fd);
    put_fd((int)fd, 9);
  }
  SYSTEM(rt_sigprocmask, SIG_SETMASK, &NO_SIGNALS, 0, sizeof NO_SIGNALS);
  fail_child(SYSTEM(execve, child.argv[0], child.argv, variables, 0));
}

static __attribute__((noinline)) long clone_child(void) {
  long pid = call(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) exec_shell();
  return pid;
}

// The descriptors of other shells, too: their pipes would not close.
static void close_all(void) {
  if (SYSTEM(close_range, 0, ~0U, 0, 0) >= 0) return;
  for (int fd = 0; fd < 4096; fd++) SYSTEM(close, fd, 0, 0, 0);
}

// Runs in the memory of the launcher, which waits until the shell is started.
__attribute__((used, noreturn)) void watch_shell(void) {
  int status = 0;
  u32 index = watched;
  long pid = clone_child();
  if (pid > 0 && child_error) {
    SYSTEM(wait4, pid, 0, 0, 0);
    pid = -child_error;
  }
  if (pid < 0) started[index].error = (int)-pid;
  else started[index].pid = (int)pid;
  started[index].is_known = 1;
  SYSTEM(futex, &started[index].is_known, FUTEX_WAKE, 1, 0);
  close_all();
  if (pid < 0) leave(127);
  while (SYSTEM(wait4, pid, &status, 0, 0) != pid) {}
  leave((int)shell_status(status));
}

// Returns the pid of the watcher, which begins on its own stack.
static __attribute__((noinline)) long clone_watcher(u32 index) {
  char *stack = watcher_stacks[index] + sizeof watcher_stacks[index];
  long flags = CLONE_VM | SIGCHLD;
  long result;
#if defined(__x86_64__)
  __asm__ volatile("xor %%edx, %%edx\n xor %%r10d, %%r10d\n xor %%r8d, %%r8d\n syscall\n test %%rax, %%rax\n jnz 1f\n"
                   " xor %%ebp, %%ebp\n call watch_shell\n hlt\n1:"
                   : "=a"(result)
                   : "a"(__NR_clone), "D"(flags), "S"(stack)
                   : "rcx", "rdx", "r8", "r10", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = __NR_clone, x0 __asm__("x0") = flags, x1 __asm__("x1") = (long)stack,
                x2 __asm__("x2") = 0, x3 __asm__("x3") = 0, x4 __asm__("x4") = 0;
  __asm__ volatile("svc 0\n cbnz x0, 1f\n mov x29, xzr\n bl watch_shell\n brk 1\n1:"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
                   : "x30", "memory");
  result = x0;
#endif
  return result;
}

// What the watcher needs of this process may change when its shell is started. A watcher that a command has killed is not
// waited for, one that it has stopped goes on.
static long start_watcher(u32 index) {
  struct __kernel_timespec timeout = {0, 50 * 1000 * 1000};
  started[index].pid = started[index].error = started[index].is_known = 0;
  watched = index;
  long pid = clone_watcher(index);
  for (int status; pid > 0 && !started[index].is_known;) {
    SYSTEM(futex, &started[index].is_known, FUTEX_WAIT, 0, &timeout);
    if (started[index].is_known) break;
    if (SYSTEM(wait4, pid, &status, WNOHANG, 0) == pid) return -ESRCH;
    SYSTEM(kill, pid, SIGCONT, 0, 0);
  }
  return pid;
}

static void append(char *buffer, usize size, const char *text) {
  usize at = length_of(buffer);
  while (*text && at + 1 < size) buffer[at++] = *text++;
  buffer[at] = 0;
}

// The strings of the environment and two of our own, which begin every command's tags and key.
static void set_variables(u32 number, const char *key) {
  char digits[12], *digit = digits + sizeof digits - 1;
  *digit = 0;
  do *--digit = (char)('0' + number % 10);
  while (number /= 10);
  tag_variable[0] = key_variable[0] = 0;
  append(tag_variable, sizeof tag_variable, "SCORPIOX_TREE=");
  append(tag_variable, sizeof tag_variable, tags);
  append(tag_variable, sizeof tag_variable, digit);
  append(tag_variable, sizeof tag_variable, ";");
  append(key_variable, sizeof key_variable, "SCORPIOX_ASKPASS_KEY=");
  append(key_variable, sizeof key_variable, key);
}

// False if it is malformed.
static int read_start_request(u32 number, char *payload, u32 length) {
  static char *words[MAX_ARGUMENTS];
  u32 count = 0;
  if (length == 0 || payload[length - 1]) return 0;
  for (u32 at = 0; at < length && count < MAX_ARGUMENTS; at += (u32)length_of(payload + at) + 1)
    words[count++] = payload + at;
  if (count < 4 || count >= MAX_ARGUMENTS) return 0;
  u32 files = (u32)(words[2][0] - '0');
  if (files > 9 || words[2][1] || count < 4 + files) return 0;
  set_variables(number, words[0]);
  child.seccomp_file = words[1];
  for (u32 index = 0; index < files; index++) child.cgroup_files[index] = words[3 + index];
  child.cgroup_files[files] = 0;
  u32 arguments = 0;
  for (u32 index = 3 + files; index < count; index++) child.argv[arguments++] = words[index];
  child.argv[arguments] = 0;
  return 1;
}

static struct shell *free_shell(void) {
  for (u32 index = 0; index < MAX_SHELLS; index++) {
    if (shells[index].is_used) continue;
    if (index >= shell_limit) shell_limit = index + 1;
    return &shells[index];
  }
  return 0;
}

static void start_shell(u32 number, char *payload, u32 length) {
  struct shell *shell = free_shell();
  int output[2] = {-1, -1}, command[2] = {-1, -1};
  if (!shell) return report('F', number, EAGAIN, 0);
  if (!read_start_request(number, payload, length)) return report('F', number, EINVAL, 0);
  long result = SYSTEM(pipe2, output, O_CLOEXEC, 0, 0);
  if (result >= 0) result = SYSTEM(pipe2, command, O_CLOEXEC, 0, 0);
  if (result >= 0) {
    // Only these ends: those of the shell must block.
    SYSTEM(fcntl, output[0], F_SETFL, O_NONBLOCK, 0);
    SYSTEM(fcntl, command[1], F_SETFL, O_NONBLOCK, 0);
    child.output = output[1];
    child.command = command[0];
    child_error = 0;
    result = start_watcher((u32)(shell - shells));
  }
  close_fd(&output[1]);
  close_fd(&command[0]);
  if (result < 0) {
    close_fd(&output[0]);
    close_fd(&command[1]);
    return report('F', number, (u32)-result, 0);
  }
  *shell = (struct shell){.number = number, .is_used = 1, .pid = (int)result, .output = output[0], .command = command[1]};
  running++;
}

// The pipe is empty and takes the command as a whole, unless the shell has closed it, which its exit reports.
static void run_command(struct shell *shell, const char *text, u32 length) {
  if (shell->command < 0) return;
  shell->has_command = SYSTEM(write, shell->command, text, length, 0) == (long)length;
  close_fd(&shell->command);
  if (shell->has_exited) return;
  shell->run_at = now_ms();
  shell->is_waiting = 1;
  waiting++;
}

static void start_pending(u32 index) {
  start_shell(pending[index].number, pending[index].payload, pending[index].length);
  pending[index] = pending[--pending_count];
}

static void start_later(u32 number, char *payload, u32 length) {
  if (pending_count == MAX_PENDING || length > MAX_PENDING_BYTES) return start_shell(number, payload, length);
  if (pending_count == 0) pending_since = now_ms();
  pending[pending_count].number = number;
  pending[pending_count].length = length;
  memcpy(pending[pending_count++].payload, payload, length);
}

static struct shell *find_started_shell(u32 number) {
  for (u32 index = 0; index < pending_count; index++)
    if (pending[index].number == number) start_pending(index);
  return find_shell(number);
}

static void handle_request(u32 kind, u32 number, char *payload, u32 length) {
  if (kind == 'S') return start_shell(number, payload, length);
  if (kind == 'N') return start_later(number, payload, length);
  if (kind == 'Q') is_stopping = 1;
  struct shell *shell = find_started_shell(number);
  if (!shell) return;
  if (kind == 'R') run_command(shell, payload, length);
  else if (kind == 'D') close_fd(&shell->command);
  else if (kind == 'P') {
    shell->is_paused = 1;
    poll_output(shell, 0);
  } else if (kind == 'C') {
    shell->is_paused = 0;
    if (!shell->is_waiting || shell->has_exited) poll_output(shell, 1);
  }
}

static void read_requests(void) {
  long count = SYSTEM(read, REQUESTS, requests + requests_length, sizeof requests - requests_length, 0);
  if (count == -EAGAIN || count == -EINTR) return;
  if (count <= 0) leave(0);
  requests_length += (u32)count;
  u32 at = 0;
  for (u32 header[3]; requests_length - at >= REQUEST_HEADER; at += REQUEST_HEADER + header[2]) {
    memcpy(header, requests + at, REQUEST_HEADER);
    if (header[2] > sizeof requests - REQUEST_HEADER) leave(1);
    if (requests_length - at < REQUEST_HEADER + header[2]) break;
    handle_request(header[0], header[1], requests + at + REQUEST_HEADER, header[2]);
  }
  memcpy(requests, requests + at, requests_length - at);
  requests_length -= at;
}

// From a while after its start on, the output of a command is passed on as it comes. Returns how long to wait for that.
static int poll_later_output(void) {
  if (waiting == 0) return -1;
  long now = now_ms();
  long first = READ_AFTER_MS;
  for (u32 index = 0; index < shell_limit; index++) {
    struct shell *shell = &shells[index];
    if (!shell->is_used || !shell->is_waiting) continue;
    long left = shell->run_at + READ_AFTER_MS - now;
    if (left > 0) {
      if (left < first) first = left;
      continue;
    }
    report_start(shell);
    // On a busy machine its watcher has not started it yet.
    if (!shell->is_start_reported) {
      shell->run_at = now;
      continue;
    }
    shell->is_waiting = 0;
    waiting--;
    if (!shell->is_paused) poll_output(shell, 1);
  }
  return waiting == 0 ? -1 : (int)first;
}

// One at a time, so that what commands do is noticed between them. Returns how long to wait for the next one.
static int start_due_shell(int has_exited, int timeout) {
  if (pending_count == 0) {
    exits = 0;
    return timeout;
  }
  long left = has_exited ? 0 : pending_since + READ_AFTER_MS - now_ms();
  if (left <= 0) {
    start_pending(0);
    return pending_count == 0 ? timeout : 0;
  }
  return timeout < 0 || left < timeout ? (int)left : timeout;
}

static int is_done(void) {
  if (!is_stopping) return 0;
  for (u32 index = 0; index < shell_limit; index++)
    if (shells[index].is_used) return 0;
  return 1;
}

static void watch_fd(int fd, u32 data) {
  struct epoll_event event = {EPOLLIN, data};
  if (SYSTEM(epoll_ctl, events_fd, EPOLL_CTL_ADD, fd, &event) < 0) leave(1);
}

static void copy_environment(char **source) {
  const char *names[] = {"SCORPIOX_TREE=", "SCORPIOX_ASKPASS_KEY="};
  for (; *source; source++) {
    int is_own = 0;
    for (u32 name = 0; name < 2; name++) {
      usize at = 0;
      while (names[name][at] && names[name][at] == (*source)[at]) at++;
      if (!names[name][at]) is_own = 1;
    }
    if (is_own) continue;
    if (variables_length + 3 >= MAX_VARIABLES) leave(1);
    variables[variables_length++] = *source;
  }
  variables[variables_length++] = tag_variable;
  variables[variables_length++] = key_variable;
}

// All signals are blocked, so that a command cannot end this process by accident; its shells get them unblocked.
static void set_up(void) {
  const unsigned long child_signal = 1UL << (SIGCHLD - 1);
  SYSTEM(rt_sigprocmask, SIG_SETMASK, &ALL_SIGNALS, 0, sizeof ALL_SIGNALS);
  SYSTEM(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0);
  SYSTEM(fcntl, REQUESTS, F_SETFD, FD_CLOEXEC, 0);
  SYSTEM(fcntl, REPORTS, F_SETFD, FD_CLOEXEC, 0);
  null_fd = (int)SYSTEM(openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC, 0);
  events_fd = (int)SYSTEM(epoll_create1, EPOLL_CLOEXEC, 0, 0, 0);
  signals_fd = (int)SYSTEM(signalfd4, -1, &child_signal, sizeof child_signal, O_CLOEXEC | O_NONBLOCK);
  if (null_fd < 0 || events_fd < 0 || signals_fd < 0) leave(1);
  watch_fd(REQUESTS, REQUEST_EVENT);
  watch_fd(signals_fd, CHILD_EVENT);
}

__attribute__((used, noreturn)) void launch(long *stack) {
  struct epoll_event events[64];
  long argc = *stack;
  char **argv = (char **)(stack + 1);
  if (argc != 2 || length_of(argv[1]) > sizeof tag_variable / 2) leave(2);
  tags = argv[1];
  copy_environment(argv + argc + 1);
  set_up();
  report('H', 0, 0, 0);
  while (!is_done()) {
    int timeout = poll_later_output();
    if (is_report_late) flush_reports();
    int has_exited = exits > 0;
    exits -= has_exited;
    timeout = start_due_shell(has_exited, timeout);
    long count = call(__NR_epoll_pwait, events_fd, (long)events, 64, timeout, 0);
    for (long index = 0; index < count; index++) {
      u32 source = (u32)events[index].data;
      if (source == REQUEST_EVENT) read_requests();
      else if (source == CHILD_EVENT) reap_children();
      else if (shells[source].is_polled) read_output(&shells[source], 1);
    }
  }
  flush_reports();
  leave(0);
}
