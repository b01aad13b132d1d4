import { useMutation, useQueryClient } from '@tanstack/react-query';
import { forgetPerson, type Person } from '../api/settings/people.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { nameOf } from './person-name.ts';

interface ForgetDialogProps {
  readonly person: Person;
  readonly onForgotten: () => void;
  readonly onClose: () => void;
}

/** Asks before a person is forgotten: nothing restores what was known. */
export function ForgetDialog({ person, onForgotten, onClose }: ForgetDialogProps) {
  const cache = useQueryClient();
  const forget = useMutation({
    mutationFn: () => forgetPerson(person.user_id),
    onSuccess: async () => {
      const lists = ['people', 'facts'].map((name) => cache.invalidateQueries({ queryKey: [name] }));
      await Promise.all(lists);
      onForgotten();
    },
  });
  return (
    <Dialog
      title={`Forget ${nameOf(person)}?`}
      isOpen
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" disabled={forget.isPending} onClick={() => forget.mutate()}>
            Forget
          </Button>
        </>
      }
    >
      <p>
        The person, the ids in all channels and all facts about them are deleted. Executions keep what they contain.
        This cannot be undone.
      </p>
      {forget.error !== null && <Notice kind="error">{forget.error.message}</Notice>}
    </Dialog>
  );
}
