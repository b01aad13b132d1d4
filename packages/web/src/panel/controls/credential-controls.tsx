import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { credentialModelsQuery, credentialsQuery } from '../../api/credentials.ts';
import { selectClasses } from '../../ui/field.tsx';
import { SuggestInput } from '../../ui/suggest/suggest-input.tsx';
import { textOf } from '../formats/values.ts';
import { type ControlProps, placeholderOf } from './control.ts';
import { FormContext } from './form-context.ts';

/** One of the credentials of the fitting type. */
export function CredentialControl({ id, kind, value, input, describedBy }: ControlProps<'credential'>) {
  const { data, error } = useQuery(credentialsQuery);
  const fitting = (data ?? []).filter((credential) => credential.credential_type === kind.type);
  const isUnknown = value !== undefined && data !== undefined && !fitting.some((credential) => credential.id === value);
  return (
    <div className="flex flex-col gap-1">
      <select
        id={id}
        className={selectClasses}
        aria-describedby={describedBy}
        aria-invalid={isUnknown}
        value={textOf(value)}
        onChange={({ target }) => input.choose(target.value === '' ? undefined : Number(target.value))}
      >
        <option value="">{fitting.length === 0 && data !== undefined ? 'No credential of this type' : 'None'}</option>
        {isUnknown && <option value={textOf(value)}>{`Credential ${textOf(value)} (does not exist)`}</option>}
        {fitting.map((credential) => (
          <option key={credential.id} value={credential.id}>
            {credential.name}
          </option>
        ))}
      </select>
      {error !== null && <p className="text-[12px] text-danger">{error.message}</p>}
      <a
        href={`/credentials?new=${kind.type}`}
        target="_blank"
        rel="noreferrer"
        className="self-start text-[12px] text-accent hover:underline"
      >
        New credential…
      </a>
    </div>
  );
}

/** The name of a model: one that the provider of the node's credential lists, or any other. */
export function ModelControl({ id, field, input, describedBy, isInvalid }: ControlProps<'model'>) {
  const { node } = useContext(FormContext);
  const credential = node?.config.llm_credential_id ?? null;
  const { data, error, isFetching } = useQuery(credentialModelsQuery(credential));
  const models = data ?? [];
  return (
    <div className="flex flex-col gap-1">
      <SuggestInput
        {...{ id, describedBy, isInvalid }}
        value={input.text}
        placeholder={placeholderOf(field)}
        suggestions={models.map((model) => ({
          value: model.id,
          ...(model.name !== model.id && { detail: model.name }),
        }))}
        empty="The provider lists no model with this name. You can use it nevertheless."
        onChange={input.type}
      />
      <p role="status" className="text-[12px] text-muted leading-4">
        {modelStatus({ credential, isFetching, count: models.length, error })}
      </p>
    </div>
  );
}

interface ModelStatus {
  readonly credential: number | null;
  readonly isFetching: boolean;
  readonly count: number;
  readonly error: Error | null;
}

function modelStatus({ credential, isFetching, count, error }: ModelStatus): string {
  if (credential === null) return 'Choose a credential to see the models of its provider.';
  if (isFetching) return 'Reading the models of the provider…';
  if (error !== null) return `The models could not be read: ${error.message}`;
  return count === 0 ? 'The provider lists no models. Type the name of one.' : `${count} models of the provider.`;
}
