import { type FormEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FactList } from './fact-list.tsx';

/** The facts about one person, whose id is typed. */
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
          label="User id"
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
      {/* Another person has another list. */}
      {shown !== '' && <FactList key={shown} place={{ scope: 'user', user_id: shown }} />}
    </div>
  );
}
