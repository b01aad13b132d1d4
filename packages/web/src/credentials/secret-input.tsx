import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { inputClasses } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';

interface SecretInputProps {
  readonly id: string;
  readonly label: string;
  /** The mask of the stored secret; null if none is stored. */
  readonly mask: string | null;
  /** Undefined while the stored secret stays. */
  readonly value: string | undefined;
  readonly isMultiline: boolean;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A secret that can be written but not read: a stored one shows its mask until it is replaced. */
export function SecretInput({ mask, ...props }: SecretInputProps) {
  if (mask === null) return <SecretText {...props} />;
  if (props.value === undefined) {
    return (
      <div className="flex items-center gap-2">
        <output id={props.id} className={classes(inputClasses, 'flex items-center bg-sunken font-mono text-[13px]')}>
          {mask}
        </output>
        <Button aria-label={`Replace ${props.label}`} onClick={() => props.onChange('')}>
          Replace
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-start gap-2">
        <SecretText {...props} startsFocused />
        <Button onClick={() => props.onChange(undefined)}>Keep the stored one</Button>
      </div>
      {props.value === '' && <p className="text-[12px] text-muted">Saved empty, the stored secret is removed.</p>}
    </div>
  );
}

interface SecretTextProps extends Omit<SecretInputProps, 'mask'> {
  readonly startsFocused?: boolean;
}

function SecretText({ id, value, isMultiline, isInvalid, describedBy, startsFocused, onChange }: SecretTextProps) {
  const [isShown, setIsShown] = useState(false);
  const shared = {
    id,
    value: value ?? '',
    autoComplete: 'new-password',
    spellCheck: false,
    autoFocus: startsFocused === true,
    'aria-invalid': isInvalid,
    'aria-describedby': describedBy,
  } as const;
  if (isMultiline) {
    return (
      <textarea
        {...shared}
        rows={4}
        placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
        className={classes(inputClasses, 'h-auto py-2 font-mono text-[12px]')}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  return (
    <div className="relative min-w-0 flex-1">
      <input
        {...shared}
        type={isShown ? 'text' : 'password'}
        className={classes(inputClasses, 'pr-10 font-mono')}
        onChange={({ target }) => onChange(target.value)}
      />
      {value !== '' && value !== undefined && (
        <IconButton
          label={isShown ? 'Hide the text' : 'Show the text'}
          icon={isShown ? <EyeOff size={15} aria-hidden="true" /> : <Eye size={15} aria-hidden="true" />}
          className="absolute top-1 right-1"
          onClick={() => setIsShown(!isShown)}
        />
      )}
    </div>
  );
}
