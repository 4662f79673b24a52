-- CreateTable
CREATE TABLE "sign_in_place" (
    "user_id" INTEGER NOT NULL,
    "network" BYTEA NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_place_pkey" PRIMARY KEY ("user_id","network")
);

-- AddForeignKey
ALTER TABLE "sign_in_place" ADD CONSTRAINT "sign_in_place_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
