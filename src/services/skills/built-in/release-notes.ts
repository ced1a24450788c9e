// Text of the built-in skill release-notes.

export const RELEASE_NOTES = `# Release notes

Range: $ARGUMENTS (if empty: from the last tag to HEAD)

1. **The range.** \`git describe --tags --abbrev=0\` names the last tag; without tags take the whole history. Check that the
   range is not empty: \`git log --oneline <range> | wc -l\`.
2. **What changed.** Read all of it, not only the subjects:
   \`git log --no-merges --reverse --format='%n%h %s%n%b' <range>\` and \`git diff --stat <range>\`. For each commit whose
   effect on users is not clear, \`git show <hash>\`. A commit that a later one reverts is no news.
3. **The house style.** Look at the newest entry of CHANGELOG.md, or the last release's notes, and write in the same form and
   language. If there is none: Breaking, Added, Changed, Fixed, Security, each only if it has entries.
4. **Write for whoever upgrades.** One line per change: what they can do now, or what no longer goes wrong, in their words; not
   what the code does. Breaking changes first, each with what to do about it. Leave out refactoring, tests and tooling
   unless somebody outside notices. Keep issue numbers that the commits name; invent nothing: what you cannot tell from
   the diff, leave out or ask about.
5. **Check.** Each line can be traced to a commit; each breaking change in the diff (removed or renamed options, exports,
   flags, routes, defaults) has its line: \`git diff <range> -- package.json\` and the public headers or schema files show many.
6. Say which version number follows from it (breaking: major; added: minor; else patch), and where you put the text. Do not
   tag, push or publish unless that was asked for.
`
