/** Loads the XPath 2.0 engine when it is first needed: few artifacts use it, and expressions are compiled at once. */
module.exports = () => require('fontoxpath');
