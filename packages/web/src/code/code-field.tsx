import { lazy, Suspense } from 'react';
import { useHandedFocus } from '../ui/assistive/use-handed-focus.ts';
import { classes } from '../ui/classes.ts';
import { inputClasses } from '../ui/field.tsx';
import type { CodeEditorProps } from './code-editor.tsx';

const load = () => import('./code-editor.tsx');
const CodeEditor = lazy(async () => ({ default: (await load()).CodeEditor }));

/** Loads the code editor before it is needed, so that the first field appears at once. */
export function preloadCodeEditor(): void {
  void load();
}

/** A field for code, text with expressions or JSON. Until the editor is loaded, it is a plain text field. */
export function CodeField(props: Omit<CodeEditorProps, 'focus'> & { readonly autoFocus?: boolean }) {
  const { label, value, onChange, isMultiline, placeholder, autoFocus = false } = props;
  const { focus, handlers } = useHandedFocus(autoFocus);
  const plain = (
    <textarea
      aria-label={label}
      // biome-ignore lint/a11y/noAutofocus: the field replaces one that had the focus.
      autoFocus={autoFocus}
      {...handlers}
      rows={isMultiline ? 4 : 1}
      className={classes(inputClasses, 'h-auto py-1.5 font-mono text-[13px] leading-5')}
      placeholder={placeholder}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
  return (
    <Suspense fallback={plain}>
      <CodeEditor {...props} focus={focus} />
    </Suspense>
  );
}
