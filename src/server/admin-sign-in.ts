import type { AdminAccount } from './admin-account.ts';

/** Whether somebody may administer the server. */
type Verify = (username: string, password: string) => Promise<boolean>;

/** Checks administrators: the account of the home, or the users once a module has them. */
export interface AdminSignIn {
  verify: Verify;
  /** Lets `check` decide until the result is disposed. */
  use(check: Verify): Disposable;
}

export function adminSignIn(account: AdminAccount): AdminSignIn {
  const ofAccount: Verify = (username, password) => account.verify(username, password);
  let current = ofAccount;
  return {
    verify: (username, password) => current(username, password),
    use(check) {
      current = check;
      return {
        [Symbol.dispose]() {
          if (current === check) current = ofAccount;
        },
      };
    },
  };
}
