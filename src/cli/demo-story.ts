// What happens in the demo: plain data, read by demo.ts.

/** Files of the sample project, as they are before anybody talks. */
export const demoFiles: Readonly<Record<string, string>> = {
  'README.md': '# Friday dinner\n\nA menu, a shopping list, and the recipes we like.\n',
  'guests.txt': 'Ada\nGrace\nLinus (no nuts)\nMargaret\n',
  'recipes/risotto.md': '# Mushroom risotto\n\nRice, mushrooms, broth, parmesan. 40 minutes.\n',
}

/** A session of the demo: where it was forked, and what was said in it. */
export interface Scene {
  readonly name: string
  readonly title: string
  /** The scene it was forked from, after so many of that scene's own turns; null for the root. */
  readonly from: { readonly scene: string; readonly afterTurn: number } | null
  readonly prompts: readonly string[]
}

/** The root first; a scene stands after the one it was forked from. */
export const demoScenes: readonly Scene[] = [
  {
    name: 'dinner',
    title: 'Plan the Friday dinner',
    from: null,
    prompts: [
      'We plan a dinner for four on Friday. Keep it simple.',
      'read guests.txt',
      'write menu.md: Tomato soup, mushroom risotto, pear tart',
      'append shopping.md: tomatoes, mushrooms, rice, parmesan, pears, flour',
    ],
  },
  {
    name: 'vegan',
    title: 'What if it were vegan?',
    from: { scene: 'dinner', afterTurn: 3 },
    prompts: [
      'write menu-vegan.md: Tomato soup, mushroom risotto without parmesan, poached pears',
      'What do you know about this dinner?',
    ],
  },
  {
    name: 'picnic',
    title: 'A picnic instead',
    from: { scene: 'dinner', afterTurn: 2 },
    prompts: ['write picnic.md: Sandwiches, apple juice, a large blanket'],
  },
  {
    name: 'vegan-no-nuts',
    title: 'Vegan, and no nuts for Linus',
    from: { scene: 'vegan', afterTurn: 1 },
    prompts: ['append menu-vegan.md: No nuts in anything', 'read menu-vegan.md'],
  },
]
