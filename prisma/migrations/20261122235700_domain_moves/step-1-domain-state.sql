-- while serving
ALTER TABLE "domain" VALIDATE CONSTRAINT "domain_state_check";
