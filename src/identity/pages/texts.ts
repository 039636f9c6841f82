/** Every text of the pages. `{name}` is filled in. */
export const texts = {
  language: 'en',
  sql: {
    title: 'Embedded database',
    lead: 'Statements that read. Columns of secrets are empty, and no row is changed.',
    loginLead: 'for administrators, from this machine',
    statement: 'Statement',
    run: 'Run',
    tables: 'Tables',
    count: '{rows} rows',
    cut: 'The first {rows} rows; there are more',
    form: 'The form was not sent from this page. Try again.',
  },
  login: {
    title: 'Sign in',
    lead: 'to go on to {application}',
    leadDevice: 'to connect a device with {application}',
    username: 'User name',
    password: 'Password',
    remember: 'Keep me signed in on this computer for 14 days',
    submit: 'Sign in',
    forgotten: 'I forgot my password',
    failed: 'The user name or the password is not right.',
    wait: 'There were too many attempts. Try again in {seconds} seconds.',
    unavailable: 'Signing in does not work at the moment. Try again in a minute.',
  },
  consent: {
    title: 'Allow access?',
    lead: '{application} asks you for permission to:',
    leadDevice:
      'A device that runs {application} asks you for permission to do what is below. Go on only if you have just read the code from a device in front of you.',
    nothing: 'Know that you are signed in',
    signedInAs: 'You are signed in as {user}.',
    remember: 'Do not ask again for {application}',
    approve: 'Allow',
    deny: 'Do not allow',
    returnsTo: 'Afterwards you return to {address}.',
  },
  logout: {
    question: 'Sign out?',
    lead: '{application} asks to sign you out here and of all applications that you used.',
    leadUnknown: 'You will be signed out here and of all applications that you used.',
    approve: 'Sign out',
    deny: 'Stay signed in',
    done: 'You are signed out',
    doneLead: 'You can close this window now.',
    stays: 'You are still signed in',
    staysLead: 'Nothing was changed.',
    leaving: 'Signing you out',
    leavingLead: 'The applications that you used are being told.',
    continue: 'Go on',
  },
  device: {
    title: 'Connect a device',
    lead: 'Enter the code that your device shows.',
    code: 'Code',
    submit: 'Go on',
    unknown: 'This code is not known, or it has ended. Compare it with your device.',
    done: 'Your device is connected',
    doneLead: 'You can go back to it now.',
    denied: 'Your device was not connected',
    deniedLead: 'You can close this window.',
  },
  tenantValidation: {
    ask: {
      title: 'Confirm your address',
      lead: 'You have asked for the tenant {domain}. Confirm that its mail reaches you.',
      submit: 'Confirm',
    },
    done: 'Your address is confirmed',
    doneLead: 'The tenant {domain} works now.',
    waitsLead: 'The tenant {domain} works as soon as an administrator has activated it.',
  },
  recovery: {
    title: 'Set a new password',
    lead: 'You get a code that lets you set it.',
    username: 'User name',
    channel: 'How do you want the code?',
    mail: 'By e-mail',
    message: 'As a text message',
    submit: 'Send the code',
    mailed: 'Look into your mail',
    mailedLead:
      'If there is such a user with an e-mail address, a mail is on its way. Open the address in it to set a new password.',
    codeTitle: 'Enter the code',
    codeLead: 'If there is such a user with a mobile number, a text message with a code is on its way.',
    code: 'Code of the text message',
    codeSubmit: 'Go on',
    again: 'Send another code',
    startOver: 'Start again',
    wrongCode: 'This code is not right, or it has ended. After three wrong tries you need another one.',
    password: 'New password',
    repeat: 'The same password again',
    passwordSubmit: 'Set the password',
    different: 'The two passwords are not the same.',
    done: 'Your password was set',
    doneLead: 'You were signed out everywhere. Go back to the application and sign in with the new password.',
    noUsername: 'Enter your user name.',
    wrongUsername: 'The user name does not match {pattern}',
    wrongPassword: 'The password does not match {pattern}',
  },
  formPost: { title: 'One moment', lead: 'You are being sent back to the application.', submit: 'Go on' },
  error: {
    title: 'That did not work',
    advice: 'Go back to the application and try again. If it happens again, tell those who run the application.',
    code: 'Error: {code}',
    ended: 'This page has ended',
    endedLead:
      'It was open for too long, was used already, or began in another browser. Go back to the application and start again.',
  },
} as const;

/** What an error code means for somebody who only wanted to sign in; codes that are not here have the last text. */
export const errorTexts: Readonly<Record<string, string>> = {
  invalid_client: 'The application that sent you here is not known.',
  invalid_callback: 'The application wants you back at an address that is not registered for it.',
  invalid_redirect_uri: 'The application wants you back at an address that is not registered for it.',
  unauthorized_client: 'The application may not ask for this.',
  invalid_request: 'The application sent a request that cannot be understood.',
  invalid_request_uri: 'The request of the application has ended or was used already.',
  invalid_scope: 'The application asked for something that you may not give.',
  access_denied: 'Access was refused.',
  login_required: 'You have to sign in first.',
  temporarily_unavailable: 'The server is busy.',
  server_error: 'Something went wrong on this server.',
};

/** What a scope lets an application do, for scopes that have no description of their own. */
export const scopeTexts: Readonly<Record<string, string>> = {
  openid: 'Know who you are',
  profile: 'See your name and your profile',
  email: 'See your e-mail address',
  address: 'See your postal address',
  phone: 'See your telephone number',
  groups: 'See your groups',
  roles: 'See your roles',
  offline_access: 'Keep access while you are away',
};

/** A text with what stands in braces filled in. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all));
}
