// The texts of the built-in skills create-skill, debug-failing-command and release-notes. Loaded on demand by
// built-in-skills.ts. Data only.

export const CREATE_SKILL = `# Create a skill

Wanted: $ARGUMENTS

A skill is a folder with a file SKILL.md. InvokeSkill knows it by its name at once; nothing has to be restarted.

1. **Where.** For all contributors of this project: \`.claude/skills/<name>/SKILL.md\` in the project, to be committed. For
   this person in all projects: \`~/.claude/skills/<name>/SKILL.md\`. If the place has \`.agents/skills\` and no
   \`.claude/skills\`, use that. A skill of the same name in the project hides the person's, and both hide built-in ones.
   Commands in a sandbox cannot write there ("Read-only file system"): use the client's own tool for files, or show the
   person the file and say where it belongs.
2. **Name.** The folder's name: lowercase letters, digits and single hyphens, 64 at most. Say what it does: \`cut-release\`,
   not \`helper\`. Look first whether one exists: the description of InvokeSkill lists them.
3. **Frontmatter.** The description decides whether anybody will ever use the skill: what it does and when to use it, in
   words a person would use, on one line of less than 255 characters. Put it in quotes.

   \`\`\`
   ---
   name: cut-release
   description: "Cut a release: version, changelog, tag, publish. Use it when asked to release or publish."
   argument-hint: "<version>"
   ---
   \`\`\`

4. **Body.** Write what a capable colleague who has never seen this project does not know: the commands, in order, with
   what each should print; the decisions and how to take them; what has gone wrong before; how to tell that it is done.
   Leave out common knowledge. \`$\` followed by \`ARGUMENTS\` stands for what the caller passes, wherever it stands.
   Try every command with Bash before you write it down.
5. **More files.** Long references, templates and scripts go beside SKILL.md, one topic each. InvokeSkill lists them with
   their paths; say in the body when to read which.
6. **Scripts.** If the answer can be computed, let the body (after the frontmatter) be a script that begins with \`#!\`, such
   as \`#!/usr/bin/env bash\`. InvokeSkill runs it in the project directory and returns what it prints. The arguments are
   its first argument, as one string; SKILL_DIR is the skill's folder.
7. **Try it.** Call InvokeSkill with its name and real arguments and read the answer as if you knew nothing. If it is not
   found, \`scorpiox-code skills\` says for every folder what was skipped and why.
`

export const DEBUG_FAILING_COMMAND = `# Debug a failing command

Command: $ARGUMENTS

Do not change anything until you know the cause. A fix that cannot be explained is a second bug.

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

export const RELEASE_NOTES = `# Release notes

Range: $ARGUMENTS (if empty: from the last tag to HEAD)

1. **The range.** \`git describe --tags --abbrev=0\` names the last tag; without tags take the whole history. Check that the
   range is not empty: \`git log --oneline <range> | wc -l\`.
2. **What changed.** Read all of it, not only the subjects:
   \`git log --no-merges --reverse --format='%n%h %s%n%b' <range>\` and \`git diff --stat <range>\`. For each commit whose
   effect on users is not clear, \`git show <hash>\`. A commit that a later one reverts is no news.
3. **The house style.** Look at the newest entry of CHANGELOG.md, or the last release's notes, and write in the same form and
   language. If there is none: Breaking, Added, Changed, Fixed, Security, each only if it has entries.
4. **Write for users who upgrade.** One line per change: what they can do now, or what no longer goes wrong, in their words; not
   what the code does. Breaking changes first, each with what to do about it. Leave out refactoring, tests and tooling
   unless users notice. Keep issue numbers that the commits name; invent nothing: what you cannot tell from
   the diff, leave out or ask about.
5. **Check.** Each line can be traced to a commit; each breaking change in the diff (removed or renamed options, exports,
   flags, routes, defaults) has its line: \`git diff <range> -- package.json\` and the public headers or schema files show many.
6. Say which version number follows from it (breaking: major; added: minor; else patch), and where you put the text. Do not
   tag, push or publish unless that was asked for.
`
