export function inlineAnswers<T extends object>(document: T): T;
