import { Problem, type User } from '@millrace/core';

/** Every workflow reads the variables of the instance, so only admins manage them. @throws Problem `admins_only` */
export function requireAdminOfVariables({ isAdmin }: Pick<User, 'isAdmin'>): void {
  if (!isAdmin) throw new Problem('admins_only', 'Only an admin may manage the variables of the instance.');
}
