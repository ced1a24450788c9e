// Text of the built-in skill create-skill.

export const CREATE_SKILL = `# Create a skill

Wanted: $ARGUMENTS

A skill is a folder with a file SKILL.md. InvokeSkill knows it by its name at once; nothing has to be restarted.

1. **Where.** For everybody who works on this project: \`.claude/skills/<name>/SKILL.md\` in the project, to be committed. For
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
   Leave out what everybody knows. \`$\` followed by \`ARGUMENTS\` stands for what the caller passes, wherever it stands.
   Try every command with Bash before you write it down.
5. **More files.** Long references, templates and scripts go beside SKILL.md, one topic each. InvokeSkill lists them with
   their paths; say in the body when to read which.
6. **Scripts.** If the answer can be computed, let the body (after the frontmatter) be a script that begins with \`#!\`, such
   as \`#!/usr/bin/env bash\`. InvokeSkill runs it in the project directory and returns what it prints. The arguments are
   its first argument, as one string; SKILL_DIR is the skill's folder.
7. **Try it.** Call InvokeSkill with its name and real arguments and read the answer as if you knew nothing. If it is not
   found, \`scorpiox-code skills\` says for every folder what was skipped and why.
`
