import type { ProblemCollector } from '../file-diagnostics.ts';
import { toPosition } from '../yaml/positions.ts';

// Text from outside, or what contains it. "In the event of" and "the issue template" are not such text.
const TARGET =
  '(?:payload|body|event(?! of)|delivery|webhook|issue|ticket|comment|message|e-?mail|description|title|attachment|attached file|(?:pull|merge) request|sender|`?event-payload\\.json`?)' +
  "(?!['’]s\\b|\\w|-| (?:template|guide|guidelines?|checklist|policy|handbook|runbook|format|schema|handler))";
const DETERMINERS =
  "(?:(?:the|this|that|its|a|an|any|every|each|all|of|attached|whole|full|entire|json|webhook|event|issue|comment|message|payload|delivery|ticket|e-?mail|request|incoming|received|new|user['’]s|text|body|file|contents?) ){0,4}";
const ALL =
  "(?:(?:any|all|every|each|the|whatever|these|those|exact|further|additional|embedded|other|shell|specific|of|sender['’]s) ){0,3}";
const ORDERS = '(?:instructions?|commands?|directions|directives?|prompts?)';
const FOLLOW = '(?:follow|obey|execute|run|carry out|perform|comply with|adhere to|act on|act upon)';
const LINK =
  '(?:(?:that|which|you|is|are|find|found|given|named|written|stated|contained|included|embedded|provided|listed|described|outlined|specified|stand|stands|come|comes) ){0,4}(?:in|inside|within|from|of|by)';
const HOLDS = '(?:contains?|holds?|has|gives?|includes?|lists?|provides?)';
const SAYS = '(?:says?|asks?|tells?|wants?|instructs?|commands?|orders?|demands?|requests?)';

// Each pattern is one way to make an agent follow text from outside.
const INJECTIONS: readonly RegExp[] = [
  `${FOLLOW} ${ALL}${ORDERS} ${LINK} ${DETERMINERS}${TARGET}`,
  `(?:follow|obey) ${ALL}orders ${LINK} ${DETERMINERS}${TARGET}`,
  `${FOLLOW} (?:the|its|this|that) (?:payload|body|event|issue|comment|message|sender|ticket|e-?mail)(?:['’]s)? ${ORDERS}\\b`,
  `(?:execute|run|evaluate|eval) ${ALL}(?:code|scripts?|snippets?) ${LINK} ${DETERMINERS}${TARGET}`,
  `${FOLLOW} ${ALL}${ORDERS} (?:that |which )?${DETERMINERS}${TARGET} ${HOLDS}\\b`,
  // "The steps to reproduce in the issue" is harmless, so these patterns require one more word.
  `${FOLLOW} ${ALL}(?:steps|tasks) (?:(?:that|which|you|are) ){0,3}(?:find|found|given|written|contained|included|provided|listed|described|outlined|specified) (?:in|inside|within|by) ${DETERMINERS}${TARGET}`,
  `comply with ${ALL}(?:requests?|demands?|wishes) ${LINK} ${DETERMINERS}${TARGET}`,
  `(?:do|execute|run|perform|carry out|follow) (?:exactly |just |only )?(?:what|whatever|anything|everything|as)(?: that)? ${DETERMINERS}${TARGET} ${SAYS}\\b`,
  `(?:obey|comply with) ${DETERMINERS}${TARGET}`,
  `(?:treat|use|take|regard|consider|interpret) ${DETERMINERS}${TARGET} as (?:your |the |an? |new |further |additional ){0,2}${ORDERS}\\b`,
  `${TARGET} (?:contains|holds|has|gives|includes|is) (?:your|further|additional|more) ${ORDERS}\\b`,
  `your ${ORDERS} (?:is|are) ${LINK} ${DETERMINERS}${TARGET}`,
  `${TARGET} (?:tells|instructs|orders|commands) you (?:what|how) to (?:do|act|proceed)\\b`,
  `${TARGET}[^.!?;\\n]{0,60}?(?: and|,)(?: then)? (?:${FOLLOW} ${ALL}${ORDERS} (?:in|inside|within|from|of) (?:it|there)|do (?:exactly )?(?:what|whatever|as) it ${SAYS})\\b`,
].map((phrase) => new RegExp(`\\b${phrase.replaceAll(' ', '\\s+')}`, 'gi'));

// Every pattern contains one of these words. Most prompts contain none of them, which makes the check of thousands fast.
const SUSPICIOUS = new RegExp(
  `${ORDERS}|orders|code|scripts?|snippets?|steps|tasks|comply|obey|(?:${TARGET}|\\bit) ${SAYS}`.replaceAll(
    ' ',
    '\\s+',
  ),
  'i',
);

// Before the phrase, in the same clause: the sentence forbids the phrase or only mentions it.
const FORBIDDEN_BEFORE =
  /\b(?:not|never|nor|cannot|ignor\w*|avoid|refuse|reject|whether|how|no circumstances|rather than|instead of)\b|n['’]t\b|\b(?:tell|ask|told|trick|instruct|tr(?:y|ies))\w*\b.*\bto\b/is;
// After the phrase: the same.
const FORBIDDEN_AFTER =
  /^[^.!?;]{0,80}\b(?:attack|injection|untrusted)\b|^[^.!?;]{0,40}\b(?:that|which)\b[^.!?;]{0,30}\b(?:not|never)\b|^,?\s(?:but\s)?(?:never|not|ignore)\b/i;
const CLAUSE_START = /[.!?;:]\s|\n\s*(?:\n|[-*\d])|,\s(?:but|just|and then|then|instead)\b/g;
const MAX_CLAUSE = 240;

/**
 * Warns about a prompt that makes the agent follow instructions in the payload (prompt injection): anyone who can make the
 * sender write a title or a comment could control the agent. Recognizes only English phrases, and ignores those that forbid it.
 *
 * @param body the prompt, which is the end of `text`
 */
export function checkPromptInjection(text: string, body: string, diagnostics: ProblemCollector): void {
  const index = findPromptInjection(body);
  if (index === null) return;
  const at = toPosition(text, text.length - body.length + index);
  const message =
    'The prompt makes the agent follow instructions in the payload, which anyone outside can write (prompt injection).';
  const hint = 'Put all instructions in the prompt, and use the payload only as data.';
  diagnostics.add({ rule: 'automation/obeys-payload', at, path: [], message, hint });
}

/** Offset of the first such phrase; `null` if none exists. */
export function findPromptInjection(prompt: string): number | null {
  if (!SUSPICIOUS.test(prompt)) return null;
  const found = INJECTIONS.flatMap((pattern) => [...prompt.matchAll(pattern)])
    .filter((match) => !isForbidden(prompt, match.index, match[0].length))
    .map((match) => match.index);
  return found.length === 0 ? null : Math.min(...found);
}

function isForbidden(prompt: string, index: number, length: number): boolean {
  const before = prompt.slice(Math.max(0, index - MAX_CLAUSE), index);
  const clause = before.slice([...before.matchAll(CLAUSE_START)].at(-1)?.index ?? 0);
  return (
    FORBIDDEN_BEFORE.test(clause) || FORBIDDEN_AFTER.test(prompt.slice(index + length, index + length + MAX_CLAUSE))
  );
}
