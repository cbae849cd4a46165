/** What `provideRulePages` in vite.config.ts provides. */
declare module 'virtual:rule-pages' {
  const pages: { readonly [rule: string]: import('../../../../scripts/rule-docs.ts').RulePiece[] };
  export default pages;
}
