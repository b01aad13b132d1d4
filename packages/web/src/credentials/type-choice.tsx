import { Bot, BrainCircuit, GitBranch, Globe, type LucideIcon } from 'lucide-react';
import type { CredentialType } from '../api/credentials.ts';
import { credentialTypes, typeLooks } from './fields.ts';

const icons: Readonly<Record<CredentialType, LucideIcon>> = {
  llm: BrainCircuit,
  tool: Globe,
  chat_bot: Bot,
  git: GitBranch,
};

/** The icon of a type of credentials. */
export function TypeIcon({ type, size = 16 }: { readonly type: CredentialType; readonly size?: number }) {
  const Icon = icons[type];
  return <Icon size={size} className="shrink-0 text-muted" aria-hidden="true" />;
}

interface TypeChoiceProps {
  readonly value: CredentialType;
  readonly onChange: (type: CredentialType) => void;
}

/** The types as cards. */
export function TypeChoice({ value, onChange }: TypeChoiceProps) {
  return (
    <fieldset className="grid gap-2 sm:grid-cols-2">
      <legend className="mb-1 font-medium text-[13px]">Type</legend>
      {credentialTypes.map((type) => (
        <label
          key={type}
          className="flex cursor-pointer gap-2.5 rounded-control border border-line px-3 py-2 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="credential-type"
            className="sr-only"
            checked={value === type}
            onChange={() => onChange(type)}
          />
          <span className="pt-0.5">
            <TypeIcon type={type} />
          </span>
          <span className="min-w-0">
            <span className="block font-medium text-[13px]">{typeLooks[type].name}</span>
            <span className="block text-[12px] text-muted leading-4 max-sm:hidden">{typeLooks[type].purpose}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
