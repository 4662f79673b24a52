-- CreateTable
CREATE TABLE "domain" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "config_version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "domain_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "unit" (
    "id" SERIAL NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "name_fold" TEXT COLLATE "C" NOT NULL,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',

    CONSTRAINT "unit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dept" (
    "id" SERIAL NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "name_fold" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "dept_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "profile" (
    "id" SERIAL NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "name_fold" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "profile_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user" (
    "id" SERIAL NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "unit_id" INTEGER,
    "profile_id" INTEGER,
    "login" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT NOT NULL,
    "time_zone_long" TEXT,
    "lang_code" TEXT NOT NULL DEFAULT 'en',
    "default_view" CHAR(2) NOT NULL DEFAULT 'MV',
    "password_hash" TEXT,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_dept" (
    "user_id" INTEGER NOT NULL,
    "dept_id" INTEGER NOT NULL,
    "is_home" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "user_dept_pkey" PRIMARY KEY ("user_id","dept_id")
);

-- CreateTable
CREATE TABLE "permission_grant" (
    "subject_type" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "permission" TEXT NOT NULL,

    CONSTRAINT "permission_grant_pkey" PRIMARY KEY ("subject_type","subject_id","permission")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "user_id" INTEGER NOT NULL,
    "current_view" CHAR(2) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "absolute_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "config_entry" (
    "scope" TEXT NOT NULL,
    "scope_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,

    CONSTRAINT "config_entry_pkey" PRIMARY KEY ("scope","scope_id","key")
);

-- CreateTable
CREATE TABLE "system_filter" (
    "domain_id" INTEGER NOT NULL,
    "filter_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "layout" CHAR(1) NOT NULL DEFAULT 'M',
    "calendar_type" TEXT NOT NULL DEFAULT 'CALENDAR',
    "criteria" JSONB NOT NULL,
    "sort" JSONB NOT NULL,

    CONSTRAINT "system_filter_pkey" PRIMARY KEY ("domain_id","filter_id")
);

-- CreateTable
CREATE TABLE "feed" (
    "feed_key" BIGSERIAL NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "parent_feed_key" BIGINT,
    "message_type" TEXT,
    "status" CHAR(1) NOT NULL DEFAULT 'N',
    "priority" INTEGER,
    "feed_type" TEXT,
    "feed_type_id" TEXT,
    "feed_type_id_desc" TEXT,
    "cluster_id" TEXT,
    "cluster_child_id" TEXT,
    "title" TEXT NOT NULL,
    "title_fold" TEXT COLLATE "C" NOT NULL,
    "description" TEXT,
    "start_at" TIMESTAMPTZ(3),
    "end_at" TIMESTAMPTZ(3),
    "launch_at" TIMESTAMPTZ(3),
    "event_at" TIMESTAMPTZ(3),
    "event_end_at" TIMESTAMPTZ(3),
    "unit_id" INTEGER,
    "dept_id" INTEGER,
    "profile_id" INTEGER,
    "owner_user_id" INTEGER,
    "feed_owner" TEXT,
    "assign_to_desc" TEXT,
    "is_confidential" BOOLEAN NOT NULL DEFAULT false,
    "is_local" BOOLEAN NOT NULL DEFAULT false,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "requestor_level" TEXT,
    "exec_level" TEXT,
    "org_level" TEXT,
    "sugg_start_date" CHAR(8),
    "sugg_end_date" CHAR(8),
    "task_count" INTEGER NOT NULL DEFAULT 0,
    "feed_task_count" INTEGER NOT NULL DEFAULT 0,
    "transaction_key" BIGINT,
    "txn_at" TIMESTAMPTZ(3),
    "lock_status" TEXT,
    "title_css" TEXT,
    "panel_config" JSONB,
    "ext_link_info" JSONB,
    "additional_attributes" JSONB,
    "feed_params" JSONB,
    "show_why_url" TEXT,
    "show_how_url" TEXT,
    "has_survey" BOOLEAN NOT NULL DEFAULT false,
    "has_attachment" BOOLEAN NOT NULL DEFAULT false,
    "has_comments" BOOLEAN NOT NULL DEFAULT false,
    "enable_comment" BOOLEAN NOT NULL DEFAULT true,
    "enable_action" BOOLEAN NOT NULL DEFAULT true,
    "has_history" BOOLEAN NOT NULL DEFAULT false,
    "has_actions" BOOLEAN NOT NULL DEFAULT false,
    "has_contents" BOOLEAN NOT NULL DEFAULT false,
    "has_key_attributes" BOOLEAN NOT NULL DEFAULT false,
    "show_acknowledge" BOOLEAN NOT NULL DEFAULT false,
    "show_claim" BOOLEAN NOT NULL DEFAULT false,
    "update_all_mul_asg_task_attr" BOOLEAN NOT NULL DEFAULT false,
    "is_edited" BOOLEAN NOT NULL DEFAULT false,
    "allow_future_quick_links" BOOLEAN NOT NULL DEFAULT false,
    "thread_flag" BOOLEAN NOT NULL DEFAULT false,
    "has_predecessor" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_action_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "feed_pkey" PRIMARY KEY ("feed_key")
);

-- CreateTable
CREATE TABLE "feed_assignment" (
    "id" BIGSERIAL NOT NULL,
    "feed_key" BIGINT NOT NULL,
    "user_id" INTEGER,
    "dept_id" INTEGER,
    "unit_id" INTEGER,
    "role" TEXT NOT NULL DEFAULT 'ASSIGNEE',
    "assigned_role_text" TEXT,

    CONSTRAINT "feed_assignment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feed_user_state" (
    "user_id" INTEGER NOT NULL,
    "feed_key" BIGINT NOT NULL,
    "pinned" BOOLEAN NOT NULL DEFAULT false,
    "favorite" BOOLEAN NOT NULL DEFAULT false,
    "follow" BOOLEAN NOT NULL DEFAULT false,
    "acknowledged" BOOLEAN NOT NULL DEFAULT false,
    "watched" BOOLEAN NOT NULL DEFAULT false,
    "promoted_to_note" BOOLEAN NOT NULL DEFAULT false,
    "flag" BOOLEAN NOT NULL DEFAULT false,
    "has_action" BOOLEAN NOT NULL DEFAULT false,
    "action_taken" BOOLEAN NOT NULL DEFAULT false,
    "has_notes" BOOLEAN NOT NULL DEFAULT false,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "feed_user_state_pkey" PRIMARY KEY ("user_id","feed_key")
);

-- CreateTable
CREATE TABLE "feed_attribute" (
    "id" BIGSERIAL NOT NULL,
    "feed_key" BIGINT NOT NULL,
    "scope" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "value_fold" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "feed_attribute_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feed_tag" (
    "feed_key" BIGINT NOT NULL,
    "tag_fold" TEXT COLLATE "C" NOT NULL,
    "tag" TEXT NOT NULL,

    CONSTRAINT "feed_tag_pkey" PRIMARY KEY ("feed_key","tag_fold")
);

-- CreateTable
CREATE TABLE "feed_listing" (
    "list" SMALLINT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "feed_key" BIGINT NOT NULL,
    "end_sort" TIMESTAMPTZ(3) NOT NULL,
    "start_sort" TIMESTAMPTZ(3) NOT NULL,
    "priority_sort" INTEGER NOT NULL,
    "profile_sort" INTEGER NOT NULL,
    "feed_type_sort" TEXT COLLATE "C" NOT NULL,
    "title_sort" TEXT COLLATE "C" NOT NULL,
    "status" CHAR(1) NOT NULL,
    "confidential_dept" INTEGER,

    CONSTRAINT "feed_listing_pkey" PRIMARY KEY ("list","subject_id","feed_key")
);

-- CreateIndex
CREATE UNIQUE INDEX "domain_name_key" ON "domain"("name");

-- CreateIndex
CREATE UNIQUE INDEX "unit_domain_id_name_fold_key" ON "unit"("domain_id", "name_fold");

-- CreateIndex
CREATE UNIQUE INDEX "dept_domain_id_name_fold_key" ON "dept"("domain_id", "name_fold");

-- CreateIndex
CREATE UNIQUE INDEX "profile_domain_id_name_fold_key" ON "profile"("domain_id", "name_fold");

-- CreateIndex
CREATE UNIQUE INDEX "user_login_key" ON "user"("login");

-- CreateIndex
CREATE INDEX "user_domain_id_idx" ON "user"("domain_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_hash_key" ON "session"("token_hash");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- CreateIndex
CREATE INDEX "feed_parent_feed_key_status_end_at_idx" ON "feed"("parent_feed_key", "status", "end_at");

-- CreateIndex
CREATE INDEX "feed_domain_id_kind_idx" ON "feed"("domain_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "feed_assignment_subject_key" ON "feed_assignment"("feed_key", "user_id", "dept_id", "unit_id", "role") NULLS NOT DISTINCT;

-- CreateIndex
CREATE INDEX "feed_user_state_feed_key_idx" ON "feed_user_state"("feed_key");

-- CreateIndex
CREATE INDEX "feed_attribute_feed_key_scope_value_fold_idx" ON "feed_attribute"("feed_key", "scope", "value_fold");

-- CreateIndex
CREATE INDEX "feed_listing_feed_key_idx" ON "feed_listing"("feed_key");

-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_end_sort_feed_key_idx" ON "feed_listing"("list", "subject_id", "end_sort", "feed_key");

-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_start_sort_feed_key_idx" ON "feed_listing"("list", "subject_id", "start_sort", "feed_key");

-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_priority_sort_feed_key_idx" ON "feed_listing"("list", "subject_id", "priority_sort", "feed_key");

-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_profile_sort_feed_key_idx" ON "feed_listing"("list", "subject_id", "profile_sort", "feed_key");

-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_feed_type_sort_feed_key_idx" ON "feed_listing"("list", "subject_id", "feed_type_sort", "feed_key");

-- CreateIndex
CREATE INDEX "feed_listing_list_subject_id_title_sort_feed_key_idx" ON "feed_listing"("list", "subject_id", "title_sort", "feed_key");

-- AddForeignKey
ALTER TABLE "unit" ADD CONSTRAINT "unit_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dept" ADD CONSTRAINT "dept_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "profile" ADD CONSTRAINT "profile_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user" ADD CONSTRAINT "user_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user" ADD CONSTRAINT "user_unit_id_fkey" FOREIGN KEY ("unit_id") REFERENCES "unit"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user" ADD CONSTRAINT "user_profile_id_fkey" FOREIGN KEY ("profile_id") REFERENCES "profile"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_dept" ADD CONSTRAINT "user_dept_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_dept" ADD CONSTRAINT "user_dept_dept_id_fkey" FOREIGN KEY ("dept_id") REFERENCES "dept"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "system_filter" ADD CONSTRAINT "system_filter_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed" ADD CONSTRAINT "feed_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed" ADD CONSTRAINT "feed_unit_id_fkey" FOREIGN KEY ("unit_id") REFERENCES "unit"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed" ADD CONSTRAINT "feed_dept_id_fkey" FOREIGN KEY ("dept_id") REFERENCES "dept"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed" ADD CONSTRAINT "feed_profile_id_fkey" FOREIGN KEY ("profile_id") REFERENCES "profile"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed" ADD CONSTRAINT "feed_owner_user_id_fkey" FOREIGN KEY ("owner_user_id") REFERENCES "user"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed" ADD CONSTRAINT "feed_parent_feed_key_fkey" FOREIGN KEY ("parent_feed_key") REFERENCES "feed"("feed_key") ON DELETE SET NULL ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "feed_assignment" ADD CONSTRAINT "feed_assignment_feed_key_fkey" FOREIGN KEY ("feed_key") REFERENCES "feed"("feed_key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed_assignment" ADD CONSTRAINT "feed_assignment_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed_assignment" ADD CONSTRAINT "feed_assignment_dept_id_fkey" FOREIGN KEY ("dept_id") REFERENCES "dept"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed_assignment" ADD CONSTRAINT "feed_assignment_unit_id_fkey" FOREIGN KEY ("unit_id") REFERENCES "unit"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed_user_state" ADD CONSTRAINT "feed_user_state_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed_user_state" ADD CONSTRAINT "feed_user_state_feed_key_fkey" FOREIGN KEY ("feed_key") REFERENCES "feed"("feed_key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed_attribute" ADD CONSTRAINT "feed_attribute_feed_key_fkey" FOREIGN KEY ("feed_key") REFERENCES "feed"("feed_key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed_tag" ADD CONSTRAINT "feed_tag_feed_key_fkey" FOREIGN KEY ("feed_key") REFERENCES "feed"("feed_key") ON DELETE CASCADE ON UPDATE CASCADE;
