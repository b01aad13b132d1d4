/** What the parser's reasons begin with or hold, and what they mean to who wrote the text: what is wrong, how to mend it. */
const words: readonly (readonly [reason: RegExp, words: string])[] = [
  [
    /^bad indentation of a mapping entry/,
    "the indentation does not fit here, or a text needs quotes: one that holds ': ' or begins with a sign such as @",
  ],
  [/indentation of a sequence entry|deficient indentation/, 'the indentation does not fit that of the lines above'],
  [/^end of the stream or a document/, 'nothing more may follow here: check the indentation and the brackets above'],
  [/within a flow collection/, 'a bracket is opened and never closed'],
  [/quoted scalar/, 'a quote is opened and never closed'],
  [/^missed comma|^expected '|but found '/, 'a comma or a closing bracket is missing, or one too many is there'],
  [/^tab characters/, 'lines are indented with spaces, not with tabs'],
  [/escape sequence|hexadecimal/, 'after a \\ in double quotes stands n, t, " or \\; or put the text in single quotes'],
  [/JSON character|non-printable/, 'the text holds a control character'],
  [/^can not read a block mapping entry|multiline key/, "a key has no ':' after it, or is longer than its line"],
  [/whitespace character is expected|line break is expected/, 'a blank or the end of the line is missing here'],
  [/directive|YAML version/, 'lines that begin with % are not allowed: leave them out, or put the text in quotes'],
  [/\btag\b/, 'tags (!name) are not allowed: quote what is text'],
  [/anchor|alias/, 'anchors (&name) and aliases (*name) are not allowed: write the value out, or quote what is text'],
  [/block scalar|chomping|indentation width/, 'after | or > stands at most one digit from 1 to 9 and one + or -'],
];

/** A reason of the parser's in words of the language. */
export function syntaxWords(reason: string): string {
  return words.find(([pattern]) => pattern.test(reason))?.[1] ?? 'the text cannot be read here';
}
