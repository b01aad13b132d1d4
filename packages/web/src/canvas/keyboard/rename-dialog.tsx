import { useRef, useState } from 'react';
import { labelLength } from '../../state/graph.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

interface RenameDialogProps {
  readonly nodeId: string;
  readonly label: string | null;
  /** @param isContested whether somebody else changed the label meanwhile */
  readonly onRename: (label: string | null, isContested: boolean) => void;
  readonly onClose: () => void;
}

/** Changes the label of a node. */
export function RenameDialog({ nodeId, label, onRename, onClose }: RenameDialogProps) {
  const [before] = useState(label);
  const [text, setText] = useState(label ?? '');
  // An input element with a limit of its own would cut a text that is pasted.
  const isTooLong = text.trim().length > labelLength;
  const input = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      initialFocus={input}
      title={`Rename ${label ?? nodeId}`}
      isOpen={true}
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onRename(text.trim() === '' ? null : text.trim(), label !== before);
        }}
      >
        <TextField
          ref={input}
          label="Label"
          value={text}
          placeholder={nodeId}
          error={isTooLong ? `Must have at most ${labelLength} characters.` : null}
          hint={`Expressions name this node ${nodeId}.`}
          onChange={({ target }) => setText(target.value)}
        />
        <span className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={isTooLong}>
            Rename
          </Button>
        </span>
      </form>
    </Dialog>
  );
}
