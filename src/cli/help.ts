// What `--help` says.

import { VERSION } from '../lib/version.js'

export const HELP = `scorpiox-code ${VERSION}: an MCP server that gives an AI client a shell and more.

Usage
  scorpiox-code                     serve MCP over stdio (a client starts it this way); on a terminal, greet
  scorpiox-code install [client…]   put the program at ~/.scorpiox/scorpiox-code and connect the clients that
                                    are used here, or those named         [--yes] [--dry-run]
  scorpiox-code uninstall [client…] undo that                             [--yes] [--dry-run]
  scorpiox-code serve               serve MCP over stdio, also on a terminal
  scorpiox-code serve --http        serve MCP over HTTP   [--host 127.0.0.1] [--port 8808] [--no-auth]
                                    [--behind-proxy] [--no-sandbox]
  scorpiox-code ui                  show in a browser what all servers do, and answer their questions
                                    [--port N] [--no-open]
  scorpiox-code inbox               show the same in this terminal; print it once where it is none
                                    [--once] [--json] [--quiet]
  scorpiox-code tools               list the tools        [--json]
  scorpiox-code call <Tool> [args]  call one tool: a JSON object, or key=value pairs   [--json]
  scorpiox-code search <query>      search the web as WebSearch does                   [--json]
  scorpiox-code search --doctor     ask each search engine once, and say which work    [--json]
  scorpiox-code config              print each setting and where it came from          [--json]
  scorpiox-code skills              say which skills there are, and which were skipped and why   [--json]
  scorpiox-code doctor              say what works on this machine and what does not   [--json]
  scorpiox-code check <url>         say whether a deployed MCP endpoint is as it should be
                                    [--token T] [--key-header NAME] [--tool NAME] [--args JSON] [--json]
  scorpiox-code token create        make a token for HTTP [--name N] [--user U] [--expires 30d] [--json]
  scorpiox-code token list          list the tokens       [--json]
  scorpiox-code token revoke <id>   end a token, by its id or name                     [--json]
  scorpiox-code state path          print where tasks and plans are kept
  scorpiox-code state export [file] print or save all of them as JSON
  scorpiox-code state import <file> take in what was exported                          [--replace]

Flags
  -e, --env KEY=VALUE   set an option, over files and environment (may be repeated)
      --cwd DIR         work in DIR
  -h, --help            this text
  -V, --version         the version

Examples
  scorpiox-code call Bash command="ls -la" timeout=5000
  scorpiox-code call Bash '{"command": "git status"}'
`
