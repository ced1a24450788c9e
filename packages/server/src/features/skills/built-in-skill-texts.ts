// The texts of the built-in skills create-skill, debug-failing-command and release-notes. Loaded on demand by
// built-in-skills.ts. Data only.

export const CREATE_SKILL = `# Create a skill

Wanted: $ARGUMENTS

A skill is a folder with a file SKILL.md. InvokeSkill finds it by its name immediately, without a restart.

1. **Choose the folder.** For all contributors of this project: \`.claude/skills/<name>/SKILL.md\` in the project, committed
   to git. For this user in all projects: \`~/.claude/skills/<name>/SKILL.md\`. If the project or home folder has
   \`.agents/skills\` and no \`.claude/skills\`, use that. A skill of the project hides the user's skill of the same name, and
   both hide built-in ones. Commands in a sandbox cannot write to these folders ("Read-only file system"): use the
   client's file tool, or show the file to the user and say where to save it.
2. **Choose the name.** It is the folder's name: at most 64 lowercase letters, digits and single hyphens. Name what the
   skill does: \`cut-release\`, not \`helper\`. First check the description of InvokeSkill, which lists existing skills.
3. **Write the frontmatter.** The description decides whether the skill is used. Say what it does and when to use it, in
   the user's words, on one line of less than 255 characters, in quotes.

   \`\`\`
   ---
   name: cut-release
   description: "Cut a release: version, changelog, tag, publish. Use it when asked to release or publish."
   argument-hint: "<version>"
   ---
   \`\`\`

4. **Write the body.** Write what a capable colleague who is new to the project does not know: the commands in order, with
   their expected output; the decisions and how to make them; known problems; how to tell that the work is done.
   Leave out common knowledge. \`$\` followed by \`ARGUMENTS\` is replaced with the caller's arguments everywhere in the text.
   Run every command with Bash before you write it down.
5. **Add files.** Put long references, templates and scripts next to SKILL.md, one topic per file. InvokeSkill lists their
   paths; say in the body when to read which file.
6. **Use a script if the result can be computed.** Make the body (after the frontmatter) a script that begins with \`#!\`,
   such as \`#!/usr/bin/env bash\`. InvokeSkill runs it in the project directory and returns its output. The script gets the
   arguments as one string in its first argument; SKILL_DIR is the skill's folder.
7. **Test it.** Call InvokeSkill with the name and real arguments, and read the result as if you knew nothing else. If the
   skill is not found, \`scorpiox-code skills\` shows for every folder what was skipped and why.
`

export const DEBUG_FAILING_COMMAND = `# Debug a failing command

Command: $ARGUMENTS

Do not change anything until you know the cause. Do not apply a fix that you cannot explain.

1. **Reproduce the failure.** Run the command with Bash exactly as given. Read the whole output from the top: the first error
   is usually the cause, later ones are often consequences. Long output is stored: ReadBgOutput with the task_id from the
   result and \`pattern: "error|fail"\` finds the lines. Note the exit code: 127 not found, 126 not executable, 137 killed
   (memory?), 124 timeout, 139 crash.
2. **Does it hang?** A command without a timeout continues as a job after 30 s; ReadBgOutput shows its output. With Bash
   stdin is empty: use the command's flag for "yes", or start it with BackgroundBash (with tty where it has one) and answer
   with ReadBgOutput and input. Run servers and watchers with BackgroundBash.
3. **Is it the sandbox?** "Read-only file system", "Permission denied" or "Network is unreachable" where it should work
   can mean that commands are sandboxed. Say so and what would have to be allowed; do not work around it.
4. **Reduce it.** Run only the failing step: one test, one file, one target. Does it fail in a clean state too
   (run \`git stash list\` and \`git status\` first; do not discard work)? Twice in a row? If it fails only sometimes, check
   time, order, ports and leftovers of earlier runs (ListBgTasks shows running jobs).
5. **Collect facts.** Use the verbose flag, \`set -x\`, \`command -v <tool>\`, \`<tool> --version\`, \`env | sort\`, and
   \`git log -5 --stat -- <file>\` for recent changes. If it worked before, \`git bisect run <small command>\` finds the commit.
6. **State the cause in one sentence** that explains every symptom, and predict the result of a test of it. Run that test. If
   the prediction is wrong, the cause is wrong: go back to step 4.
7. **Fix the cause, not the symptom.** Then run the reduced case, the original command, and whatever else uses the code you
   changed. Report the cause, the fix and the proof.
`

export const RELEASE_NOTES = `# Release notes

Range: $ARGUMENTS (if empty: from the last tag to HEAD)

1. **Find the range.** \`git describe --tags --abbrev=0\` prints the last tag; without tags use the whole history. Check that
   the range is not empty: \`git log --oneline <range> | wc -l\`.
2. **Read the changes.** Read all of them, not only the subjects:
   \`git log --no-merges --reverse --format='%n%h %s%n%b' <range>\` and \`git diff --stat <range>\`. Run \`git show <hash>\` for
   each commit whose effect on users is unclear. Leave out commits that a later commit reverts.
3. **Match the existing style.** Read the newest entry of CHANGELOG.md or the notes of the last release, and use the same form
   and language. If there are none, use: Breaking, Added, Changed, Fixed, Security. Leave out empty sections.
4. **Write for users who upgrade.** Write one line per change: what users can do now, or what is fixed, in their words; not
   how the code works. Put breaking changes first, each with what to do about it. Leave out refactoring, tests and tooling
   unless users notice them. Keep issue numbers from the commits. Invent nothing: leave out or ask about what the diff does
   not show.
5. **Check the notes.** Every line must come from a commit. Every breaking change in the diff (removed or renamed options,
   exports, flags, routes, defaults) must have a line: \`git diff <range> -- package.json\` and the public headers or schema
   files show many of them.
6. **Name the version.** Say which version number follows (breaking: major; added: minor; otherwise patch) and where you put
   the text. Do not tag, push or publish unless you were asked to.
`
