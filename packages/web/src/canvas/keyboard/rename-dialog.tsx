import { useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

interface RenameDialogProps {
  readonly nodeId: string;
  readonly label: string | null;
  readonly onRename: (label: string | null) => void;
  readonly onClose: () => void;
}

/** Changes the label of a node. */
export function RenameDialog({ nodeId, label, onRename, onClose }: RenameDialogProps) {
  const [text, setText] = useState(label ?? '');
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
          onRename(text.trim() === '' ? null : text.trim());
        }}
      >
        <TextField
          ref={input}
          label="Label"
          value={text}
          placeholder={nodeId}
          hint={`Expressions name this node ${nodeId}.`}
          onChange={({ target }) => setText(target.value)}
        />
        <span className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            Rename
          </Button>
        </span>
      </form>
    </Dialog>
  );
}
