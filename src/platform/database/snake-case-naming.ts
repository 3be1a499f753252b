import { DefaultNamingStrategy, Table } from 'typeorm';

/** `subnetId` is the column `subnet_id`; an embedded object's columns begin with its name. Primary keys are `{table}_pk`. */
export class SnakeCaseNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined, prefixes: string[]): string {
    return columnNameOf(customName ?? propertyName, prefixes);
  }

  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pk`;
  }
}

export function columnNameOf(name: string, prefixes: readonly string[]): string {
  return [...prefixes, name].map(snakeCase).join('_');
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
