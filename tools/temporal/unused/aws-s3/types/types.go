package types

type (
	NoSuchBucket struct{ error }
	NoSuchKey    struct{ error }
	CommonPrefix struct{ Prefix *string }
	Object       struct{ Key *string }
)
