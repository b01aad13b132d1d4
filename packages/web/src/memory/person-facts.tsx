import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useDeferredValue, useState } from 'react';
import { type Person, peopleQuery } from '../api/settings/people.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { FactList } from './fact-list.tsx';
import { ForgetDialog } from './forget-dialog.tsx';
import { nameOf } from './person-name.ts';

/** The people that the workflows of the user know, and the facts about one of them. */
export function PersonFacts() {
  const [typed, setTyped] = useState('');
  const [shown, setShown] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setShown(typed.trim());
  };
  return (
    <div className="flex flex-col gap-4">
      <form onSubmit={submit} className="flex items-end gap-2">
        <TextField
          label="User id, or the beginning of a name or an address"
          required
          className="flex-1"
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button type="submit">Show</Button>
      </form>
      <PersonList text={useDeferredValue(typed)} onShow={setShown} />
      {shown !== '' && (
        <>
          <h3 className="break-all font-medium text-[14px]">Facts about {shown}</h3>
          {/* Another person has another list. */}
          <FactList key={shown} place={{ scope: 'user', user_id: shown }} />
        </>
      )}
    </div>
  );
}

interface PersonListProps {
  readonly text: string;
  readonly onShow: (userId: string) => void;
}

function PersonList({ text, onShow }: PersonListProps) {
  const { data, error } = useQuery(peopleQuery(text));
  const [forgotten, setForgotten] = useState<Person | null>(null);
  if (error !== null) return <Notice kind="error">{error.message}</Notice>;
  if (data === undefined || data.items.length === 0) return null;
  return (
    <>
      <ul aria-label="People" className="divide-y divide-line rounded-control border border-line">
        {data.items.map((person) => (
          <PersonRow key={person.user_id} person={person} onShow={onShow} onForget={setForgotten} />
        ))}
      </ul>
      {data.items.length < data.total && (
        <p className="text-[13px] text-muted">
          {data.items.length} of {data.total} people.
        </p>
      )}
      {forgotten !== null && (
        <ForgetDialog
          person={forgotten}
          onForgotten={() => {
            setForgotten(null);
            onShow('');
          }}
          onClose={() => setForgotten(null)}
        />
      )}
    </>
  );
}

interface PersonRowProps {
  readonly person: Person;
  readonly onShow: (userId: string) => void;
  readonly onForget: (person: Person) => void;
}

function PersonRow({ person, onShow, onForget }: PersonRowProps) {
  const { user_id: userId, name, email, identities } = person;
  const channels = identities.map(({ channel, external_id: id }) => `${channel}: ${id}`).join(', ');
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-[13px]">
      <div className="min-w-40 flex-1">
        <div className="break-all font-medium">{nameOf(person)}</div>
        <div className="line-clamp-2 break-all text-[12px] text-muted">
          {name !== null && email !== null ? `${email}, ${channels}` : channels}
        </div>
      </div>
      <Button aria-label={`Facts about ${nameOf(person)}`} onClick={() => onShow(userId)}>
        Facts
      </Button>
      <Button kind="danger" aria-label={`Forget ${nameOf(person)}`} onClick={() => onForget(person)}>
        Forget
      </Button>
    </li>
  );
}
