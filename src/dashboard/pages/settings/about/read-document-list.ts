/** A group of the list of documents. */
export interface DocumentGroup {
  title: string;
  documents: { title: string; href: string }[];
}

/**
 * The groups and links of `docs/README.md`. Links to files without a URL are omitted, and so are groups without
 * links.
 *
 * @param findHref returns the URL of a file, named relative to `docs/`
 */
export function readDocumentList(readme: string, findHref: (path: string) => string | undefined): DocumentGroup[] {
  const [, ...parts] = readme.split(/^\*\*(.+?)\*\*/m);
  const groups: DocumentGroup[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const documents = [...parts[i + 1]!.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].flatMap(([, title, path]) => {
      const href = findHref(path!);
      return href === undefined ? [] : [{ title: capitalize(title!), href }];
    });
    if (documents.length > 0) groups.push({ title: parts[i]!, documents });
  }
  return groups;
}

/** Titles within a sentence start with a lower-case letter. */
function capitalize(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1);
}
