// Text of the built-in skill debug-failing-command.

export const DEBUG_FAILING_COMMAND = `# Debug a failing command

Command: $ARGUMENTS

Do not change anything until you know the cause. A fix that nobody can explain is a second bug.

1. **See it fail.** Run it with Bash exactly as given. Read the whole output from the top: the first error is the cause, the
   last is often its echo. Long output is kept: ReadBgOutput with the task_id from the answer and
   \`pattern: "error|fail"\` finds the lines. Note the exit code: 127 not found, 126 not executable, 137 killed (memory?),
   124 a timeout, 139 a crash.
2. **Does it hang?** A command without a timeout goes on as a background task after 30 s; ReadBgOutput shows what it waits
   for. Nothing can be typed here: stdin is empty, so whatever asks a question needs its flag for "yes". Servers and watchers
   belong into BackgroundBash.
3. **Is it the sandbox?** "Read-only file system", "Permission denied" or "Network is unreachable" where it should work:
   commands may be confined. Say so and what would have to be allowed; do not work around it.
4. **Make it small.** Run the failing step alone: one test, one file, one target. Is it the same in a clean state
   (\`git stash list\` and \`git status\` first; do not throw away work)? Twice in a row? If it comes and goes, look for time,
   order, ports, and leftovers of earlier runs (ListBgTasks shows what still runs).
5. **Ask the program.** The verbose flag, \`set -x\`, \`command -v <tool>\` and \`<tool> --version\`, \`env | sort\`,
   \`git log -5 --stat -- <file>\` for what changed. Did it ever work? Then \`git bisect run <small command>\` finds the commit.
6. **Say the cause in one sentence** that explains every symptom, and predict what a test of it will show. Test that. If the
   prediction is wrong, so is the sentence: back to 4.
7. **Fix the cause, not the place where it shows.** Then run the small case, the original command, and what else uses the
   code you touched. Report: cause, fix, proof.
`
