import { createContext } from 'react';
import type { AddRequest } from './quick-add.ts';

/** Opens the list of node types that fit a request. */
export const AddingContext = createContext<(request: AddRequest) => void>(() => undefined);
