import type { Json } from '@millrace/core/editing';

/** A text that YAML reads as itself, without quotes. */
const plain = /^[A-Za-z_][\w./-]*( [\w./-]+)*$/;
/** Words that YAML reads as other values. */
const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** A value as YAML. The clipboard needs the text at once, so no library is loaded for it. */
export function yamlText(value: Json, indent = 0): string {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => `${pad(indent)}- ${yamlText(item, indent + 2).trimStart()}`).join('');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
    return Object.entries(value)
      .map(([key, item]) => `${pad(indent)}${scalar(key)}:${afterKey(item as Json, indent)}`)
      .join('');
  }
  return `${pad(indent)}${scalar(value)}\n`;
}

function afterKey(value: Json, indent: number): string {
  const isEmpty = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  return isEmpty ? ` ${scalar(value)}\n` : `\n${yamlText(value, indent + 2)}`;
}

/** JSON is YAML too, so all that is not a plain word is written as JSON. */
function scalar(value: Json): string {
  const isPlain = typeof value === 'string' && plain.test(value) && !reserved.test(value);
  if (isPlain) return value;
  // A parser may take these characters for ends of lines.
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function pad(indent: number): string {
  return ' '.repeat(indent);
}
