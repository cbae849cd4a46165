const BASH = String.raw`# Completion of dockbell for bash. Load it in ~/.bashrc: source <(dockbell completion bash)
_dockbell() {
  local line paths=none
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) paths=\${line#:} ;;
      *) COMPREPLY+=("\${line%%$'\t'*}") ;;
    esac
  done < <("$1" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
  # The bash of macOS has no compopt. It then offers files as well.
  case $paths in
    files) ;;
    folders) compopt +o default -o dirnames 2> /dev/null ;;
    *) compopt +o default 2> /dev/null ;;
  esac
}
complete -o default -F _dockbell dockbell
`;

const ZSH = String.raw`#compdef dockbell
# Completion of dockbell for zsh. Load it in ~/.zshrc after compinit: source <(dockbell completion zsh)
_dockbell() {
  local line paths
  local -a candidates
  while IFS= read -r line; do
    case $line in
      :*) paths=\${line#:} ;;
      *$'\t'*) candidates+=("\${\${line%%$'\t'*}//:/\\:}:\${line#*$'\t'}") ;;
      *) candidates+=("\${line//:/\\:}") ;;
    esac
  done < <("\${(Q)words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2> /dev/null)
  case $paths in
    files) _files ;;
    folders) _files -/ ;;
    *) _describe dockbell candidates ;;
  esac
}
# In a folder of $fpath, this file is the body of the function.
if [[ \${funcstack[1]} = _dockbell ]]; then _dockbell "$@"; else compdef _dockbell dockbell; fi
`;

const FISH = String.raw`# Completion of dockbell for fish: dockbell completion fish > ~/.config/fish/completions/dockbell.fish
function __dockbell_complete
    set -l before (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --current-token --cut-at-cursor)
    for line in (command $before[1] __complete -- $before[2..-1] "$current" 2> /dev/null)
        switch $line
            case :files
                __fish_complete_path $current
            case :folders
                __fish_complete_directories $current
            case ':*'
            case '*'
                printf '%s\n' $line
        end
    end
end
complete --command dockbell --no-files --arguments '(__dockbell_complete)'
`;

/** The completion script of each shell. It calls the hidden command `__complete` each time, so it never gets outdated. */
export const SHELL_SCRIPTS = { bash: dropBackslashes(BASH), zsh: dropBackslashes(ZSH), fish: FISH };

export type Shell = keyof typeof SHELL_SCRIPTS;

/** In a template, \`$\` before a brace needs a backslash, which \`String.raw\` keeps. */
function dropBackslashes(script: string): string {
  return script.replaceAll('\\${', '${');
}
