import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Test files that run whole programs take the longest: begun last, one of them would run on alone. vitest knows
 * that only from an earlier run, which a fresh clone has not had.
 */
export class WholeProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const whole = (file: TestSpecification): boolean => /\/test\/(?:long\/)?[^/]+$/.test(file.moduleId)
    return [...sorted.filter(whole), ...sorted.filter((file) => !whole(file))]
  }
}
