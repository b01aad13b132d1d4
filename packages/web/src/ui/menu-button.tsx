import { type ButtonHTMLAttributes, type ReactNode, Suspense, useState } from 'react';

interface MenuButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'onClick'> {
  /** Loads the code of the menu, which starts when the pointer or the focus comes. */
  readonly load: () => Promise<unknown>;
  /** The menu with its own trigger, which looks the same. It is open from the beginning. */
  readonly menu: () => ReactNode;
}

/** The button of a menu whose code is loaded when somebody is about to use it: menus are a tenth of all scripts. */
export function MenuButton({ load, menu, ...button }: MenuButtonProps) {
  const [isUsed, setIsUsed] = useState(false);
  const plain = (
    <button
      type="button"
      aria-haspopup="menu"
      {...button}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setIsUsed(true)}
    />
  );
  return isUsed ? <Suspense fallback={plain}>{menu()}</Suspense> : plain;
}
