package pgtype

type Map struct{ defaults }

type defaults interface{ RegisterDefaultPgType(value any, name string) }
