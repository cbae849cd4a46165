import { splitText } from '../../../domain/words/escape-text.ts';

/** Text from outside the daemon: control and format characters are escaped and marked. */
export function UntrustedText({ text, keepLayout = false }: { text: string; keepLayout?: boolean }) {
  const pieces = splitText(text, keepLayout);
  if (pieces.every((piece) => !piece.isEscaped)) return text;
  return pieces.map((piece, i) =>
    piece.isEscaped ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity and never move
      <span key={i} className="escaped">
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}
