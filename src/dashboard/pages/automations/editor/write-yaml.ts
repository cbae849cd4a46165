import { Document, isMap, isSeq, visit } from 'yaml';
import type { AutomationBody } from '../../../api/automations.ts';

/** The file of an automation, to be committed as `automations/<name>/automation.md`. */
export function writeFile({ description, enabled, agent, triggers, prompt, ...overrides }: AutomationBody): string {
  const front = {
    ...(description === null ? {} : { description }),
    ...(enabled ? {} : { enabled }),
    ...(agent === null ? {} : { agent }),
    triggers,
    ...overrides,
  };
  return `---\n${writeYaml(front)}---\n\n${prompt}${prompt.endsWith('\n') ? '' : '\n'}`;
}

/** YAML for the front matter of an automation's file: lists of values on one line. */
export function writeYaml(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Seq: (_, list) => {
      list.flow = list.items.every((item) => !isMap(item) && !isSeq(item));
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
