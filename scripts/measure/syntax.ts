import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A function that has a body, and the lines from its first to its last character. */
export interface MeasuredFunction {
  path: string;
  name: string;
  lines: number;
}

/** All functions of a file, including functions in functions. */
export function measureFunctions(path: string): MeasuredFunction[] {
  const file = parse(path);
  return listNodes(file)
    .filter(isFunction)
    .map((node) => ({
      path,
      name: nameOf(node),
      lines: lineOf(file, node.end) - lineOf(file, node.getStart(file)) + 1,
    }));
}

/** Names of what calls back once after a time. */
const TIMERS = new Set(['schedule', 'scheduleCall', 'scheduleAwakeCall', 'callAt', 'setTimeout']);

/**
 * The classes and functions that arm a timer whose callback leads, through asynchronous work, to the function that arms it.
 * Such code is a loop: it decides when it works, waits and stops. A deadline or a throttle is none, because no work of it
 * is asynchronous.
 */
export function listRearmed(path: string): string[] {
  const file = parse(path);
  const functions = mapFunctions(file);
  const owners = listNodes(file)
    .filter(isTimerCall)
    .filter((call) => isRearmed(call, functions))
    .map(ownerOf);
  return [...new Set(owners)];
}

/** A named function: the names that it mentions, and whether it is asynchronous. */
interface Callable {
  mentions: Set<string>;
  isAsync: boolean;
}

/** Functions with the same name count as one. */
function mapFunctions(file: ts.SourceFile): Map<string, Callable> {
  const functions = new Map<string, Callable>();
  for (const node of listNodes(file)) {
    if (!isFunction(node) || nameOf(node) === '') continue;
    const known = functions.get(nameOf(node));
    const mentions = new Set([...(known?.mentions ?? []), ...listNames(node)]);
    functions.set(nameOf(node), { mentions, isAsync: known?.isAsync === true || worksLater(node) });
  }
  return functions;
}

/** Does the callback of the timer reach one of the functions around the call, through an asynchronous function? */
function isRearmed(call: ts.CallExpression, functions: ReadonlyMap<string, Callable>): boolean {
  const around = new Set(enclosingNames(call));
  const reached = new Set<string>();
  const waiting = call.arguments.flatMap((argument) => [...listNames(argument)]);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    waiting.push(...(functions.get(next)?.mentions ?? []));
  }
  const isAwaited =
    call.arguments.some(worksLater) || [...reached].some((name) => functions.get(name)?.isAsync === true);
  return isAwaited && [...around].some((name) => reached.has(name));
}

const CONTINUATIONS = new Set(['then', 'finally']);

function worksLater(node: ts.Node): boolean {
  return listNodes(node).some(isAsync);
}

/** Is it an asynchronous function, or a call that continues after a promise? */
function isAsync(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return CONTINUATIONS.has(node.name.text);
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true;
}

function isTimerCall(node: ts.Node): node is ts.CallExpression {
  if (!ts.isCallExpression(node)) return false;
  const { expression } = node;
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  return ts.isIdentifier(name) || ts.isPrivateIdentifier(name) ? TIMERS.has(name.text.replace('#', '')) : false;
}

/** The named functions around a node, without those that are its class. */
function enclosingNames(node: ts.Node): string[] {
  const names: string[] = [];
  for (let outer = node.parent; outer !== undefined; outer = outer.parent) {
    if (isFunction(outer) && nameOf(outer) !== '') names.push(nameOf(outer));
  }
  return names;
}

/** The class around a node, or its outermost function. */
function ownerOf(node: ts.Node): string {
  let owner = '';
  for (let outer = node.parent; outer !== undefined; outer = outer.parent) {
    if (ts.isClassDeclaration(outer)) return outer.name?.text ?? '';
    if (isFunction(outer) && nameOf(outer) !== '') owner = nameOf(outer);
  }
  return owner;
}

function listNames(node: ts.Node): Set<string> {
  return new Set(
    listNodes(node)
      .filter((one) => ts.isIdentifier(one) || ts.isPrivateIdentifier(one))
      .map((one) => one.text),
  );
}

const parsed = new Map<string, ts.SourceFile>();

function parse(path: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  parsed.set(path, file);
  return file;
}

function listNodes(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node) => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return nodes;
}

type WithBody = ts.FunctionLikeDeclaration & { body: ts.Node };

function isFunction(node: ts.Node): node is WithBody {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

/** The declared name, or that of the variable or property with the function as its value; empty if it has none. */
function nameOf(node: WithBody): string {
  const named = node.name ?? nameOfParent(node.parent);
  if (named === undefined) return ts.isConstructorDeclaration(node) ? 'constructor' : '';
  return ts.isIdentifier(named) || ts.isPrivateIdentifier(named) ? named.text : named.getText();
}

function nameOfParent(parent: ts.Node): ts.Node | undefined {
  const isNamed =
    ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent);
  return isNamed ? parent.name : undefined;
}

function lineOf(file: ts.SourceFile, position: number): number {
  return file.getLineAndCharacterOfPosition(position).line + 1;
}
