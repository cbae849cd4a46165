import { Argument } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { SHELL_SCRIPTS, type Shell } from '../complete/shell-scripts.ts';
import { EXIT_CODES } from '../exit-codes.ts';

/** `dockbell completion`: the script that a shell loads. */
export function declareCompletion(command: CliCommand, bind: Bind): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELL_SCRIPTS)))
    .offline()
    .explain({
      more: 'The script completes commands, options and their values. If a daemon is running, it also completes names of\nfactories, webhooks, automations, secrets and users. It needs no update after an upgrade.',
      examples: [
        ['source <(dockbell completion bash)', 'in ~/.bashrc'],
        ['source <(dockbell completion zsh)', 'in ~/.zshrc, after compinit'],
        ['dockbell completion fish > ~/.config/fish/completions/dockbell.fish', 'once'],
      ],
    })
    .action(bind(printScript));
}

async function printScript({ output }: CommandSession, _options: unknown, shell: Shell): Promise<number> {
  output.bytes(Buffer.from(SHELL_SCRIPTS[shell]));
  return EXIT_CODES.done;
}
